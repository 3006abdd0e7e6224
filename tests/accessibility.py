"""What axe finds on a page in a real browser."""

from pathlib import Path

from playwright.sync_api import Page

AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text()


def violations(page: Page) -> list[str]:
    """One line for each rule that is broken, with the first element that breaks it."""
    page.evaluate(AXE)
    found = page.evaluate("axe.run()")["violations"]
    return [f"{v['id']}: {v['nodes'][0]['html'][:200]} ({len(v['nodes'])} in all)" for v in found]
