"""Measurements of the lab's speed and size, which `make bench` writes into BENCHMARKS.md."""
