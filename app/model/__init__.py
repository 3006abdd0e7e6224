"""The sizing model: pure Python and numpy, no web, no clock, no network."""
