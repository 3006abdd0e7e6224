"""Pretraining Lab: an interactive system design lab for LLM pretraining."""
