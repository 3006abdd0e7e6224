"""The Chromium that the browser tests and the benchmarks drive."""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MAC = Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")


def installed() -> str | None:
    """The browser of this machine; None when it has none and Playwright's own is to be used."""
    on_path = next(filter(None, map(shutil.which, NAMES)), None)
    return on_path or (str(MAC) if MAC.exists() else None)


def usable() -> bool:
    """Whether there is a browser to start: this machine's or Playwright's."""
    if installed():
        return True
    with sync_playwright() as playwright:
        return Path(playwright.chromium.executable_path).exists()


if __name__ == "__main__":
    sys.exit(not usable())
