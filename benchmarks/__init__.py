"""Figures of the data plane beside its peers', measured in turn in the same run."""
