"""The engine's answers as JSON: the same text for the API and the command line."""

import json
from dataclasses import asdict
from functools import lru_cache

from app.model.design import Candidate
from app.model.search import top_layouts
from app.model.sizing import size
from app.model.transformer import transformer_for
from app.model.workload import Workload

MOST_LAYOUTS = 100


@lru_cache(maxsize=256)
def size_json(workload: Workload, was: Workload | None = None) -> bytes:
    """Every figure of one design; the names are those of `app.model.answer`."""
    return dump(asdict(size(workload, was)))


def best_layouts(workload: Workload, top: int) -> tuple[Candidate, ...]:
    """The best-scored layouts, the best first."""
    asked = workload.resolved()
    return top_layouts(asked, transformer_for(asked), top)


def layouts_json(workload: Workload, top: int) -> bytes:
    found = [asdict(c) for c in best_layouts(workload, top)]
    return dump({"workload": workload.resolved().model_dump(), "layouts": found})


def dump(answer: object) -> bytes:
    """JSON without NaN or infinity, which it does not know."""
    return json.dumps(answer, allow_nan=False, ensure_ascii=False, separators=(",", ":")).encode()
