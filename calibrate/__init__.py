"""Fits the constants of `app/data/calibration.yaml` on published runs: `make calibrate`."""
