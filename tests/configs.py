"""Configurations of released models, as their makers published them."""

from pathlib import Path

FOLDER = Path(__file__).parent / "formats" / "configs"


def config_text(name: str) -> str:
    return (FOLDER / f"{name}.json").read_text(encoding="utf-8")
