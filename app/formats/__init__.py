"""Readers of other people's files. They parse and never execute; they import only the model."""
