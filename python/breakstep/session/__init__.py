"""The one loop: step, measurement, verdict, next step; then the answer."""
