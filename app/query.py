"""From a query string to workloads: the same reading for the page and the API."""

from collections import Counter
from collections.abc import Iterable
from urllib.parse import parse_qsl

from app.model.workload import Problem, Workload, WorkloadError, read_workload

Pairs = Iterable[tuple[str, str]]


def read_query(pairs: Pairs) -> tuple[Workload, Workload | None]:
    """The workload that is asked for and, under `was`, the one before a drag.

    Raises WorkloadError, which names each refused field, its value and its bounds.
    """
    values = single(pairs)
    was = values.pop("was", "")
    return read_workload(values), read_was(was) if was else None


def read_was(query: str) -> Workload:
    """The workload of a query string inside a query string."""
    try:
        return read_workload(single(parse_qsl(query, keep_blank_values=True, max_num_fields=100)))
    except ValueError:
        message = "is not the query of a workload: give one such as gpus=64&params=8e9, or leave it out"
        raise WorkloadError((Problem("was", short(query), message),)) from None


def single(pairs: Pairs) -> dict[str, str]:
    """Each name with its one value; a name given twice is refused."""
    pairs = list(pairs)
    counts = Counter(name for name, _ in pairs)
    values = dict(pairs)
    twice = {name: times for name, times in counts.items() if times > 1}
    if twice:
        raise WorkloadError(tuple(Problem(short(n), short(values[n]), repeated(k)) for n, k in twice.items()))
    return values


def repeated(times: int) -> str:
    return f"is given {times} times: give it once"


def short(text: str, most: int = 40) -> str:
    """A stranger's value as a message may quote it.

    >>> short("7" * 10_000)
    '777777777777777777777777777777777777777…'
    """
    return text if len(text) <= most else text[: most - 1] + "…"


def read_top(text: str, most: int) -> int:
    """How many layouts to list.

    >>> read_top("5", 100)
    5
    """
    if text.isascii() and text.isdigit() and len(text) < 10 and 1 <= int(text) <= most:
        return int(text)
    message = f"is {short(text)!r}: give a whole number from 1 to {most}"
    raise WorkloadError((Problem("top", short(text), message),))
