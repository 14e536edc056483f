"""Tests of minutes: `make test-slow`, before an issue is called done."""
