"""Tables of figures, each beside its bar, and their place in BENCHMARKS.md."""

import os
import platform
import re
from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path

BENCHMARKS = Path(__file__).parent.parent / "BENCHMARKS.md"


def quantile(values: Iterable[float], share: float) -> float:
    """The value that `share` of the values do not exceed.

    >>> quantile([3, 1, 2, 4], 0.5)
    2
    """
    ordered = sorted(values)
    return ordered[max(0, -(-int(share * 1000) * len(ordered) // 1000) - 1)]


def held(value: float, bar: float) -> str:
    """A bar, and whether the value stays within it.

    >>> held(49.2, 50), held(51, 50)
    ('≤ 50: held', '≤ 50: **missed**')
    """
    return f"≤ {bar:,g}: {'held' if value <= bar else '**missed**'}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; all columns but the first stand right.

    >>> print(table(("what", "ms"), [("page", "4.1")]))
    | what | ms |
    | :--- | ---: |
    | page | 4.1 |
    """
    lines = [head, [":---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def conditions() -> str:
    """When and on what, in general words, with the load that others put on the machine by now."""
    load = os.getloadavg()[0]
    machine = f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}, Python {platform.python_version()}"
    return f"Measured {date.today().isoformat()} on {machine}; load average of the minute at the end {load:.1f}."


def write(name: str, text: str) -> None:
    """Puts a table between its two marks in BENCHMARKS.md."""
    start, end = f"<!-- figures of: python -m bench {name} -->", "<!-- end of figures -->"
    page = BENCHMARKS.read_text(encoding="utf-8")
    marked = re.compile(f"({re.escape(start)}).*?({re.escape(end)})", re.DOTALL)
    if not marked.search(page):
        raise SystemExit(f"BENCHMARKS.md has no place for these figures; it needs the lines\n{start}\n{end}")
    BENCHMARKS.write_text(marked.sub(lambda m: f"{m[1]}\n{text}\n{m[2]}", page), encoding="utf-8")
