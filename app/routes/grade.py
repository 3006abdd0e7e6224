"""The grader for programs: a seeded case, and a verdict on each answer to it."""

from dataclasses import asdict
from typing import Any

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool

from app.model.grading.cases import HIGHEST_SEED, Case, case_of
from app.model.grading.chain import QUANTITIES
from app.model.grading.grader import Verdict, grade
from app.openapi import Refusal
from app.query import short, single
from app.routes.api import read_object, refused

router = APIRouter(prefix="/api", tags=["grader"])

REFUSED: dict[int | str, dict[str, Any]] = {422: {"model": Refusal, "description": "Names what cannot be used"}}
SEED = {"type": "integer", "minimum": 0, "maximum": HIGHEST_SEED}
PARAMETER = {"name": "seed", "in": "query", "required": True, "description": "Names the case.", "schema": SEED}
ANSWERS = {"type": "object", "properties": {key: {"type": "string"} for key in QUANTITIES}}
BODY = {
    "required": True,
    "content": {
        "application/json": {
            "schema": {
                "type": "object",
                "required": ["seed", "answers"],
                "additionalProperties": False,
                "properties": {"seed": SEED, "answers": ANSWERS},
            },
            "example": {"seed": 7, "answers": {"state": "2.8 TB", "days": "18.6 days"}},
        }
    },
}


@router.get("/case", summary="One case", openapi_extra={"parameters": [PARAMETER]}, responses=REFUSED)
def case(request: Request) -> dict[str, Any]:
    """The facts of a case, and the numbers that it asks for; the same for the same seed, everywhere."""
    return case_json(case_of(read_seed(single(request.query_params.multi_items()).get("seed"))))


@router.post("/grade", summary="Grade answers", openapi_extra={"requestBody": BODY}, responses=REFUSED)
async def graded(request: Request) -> dict[str, Any]:
    """A verdict for each answer: how near, which mistake, and the right value in the case's units."""
    body = read_object(await request.body())
    chosen = case_of(read_seed(body.pop("seed", None)))
    answers = read_answers(body.pop("answers", None))
    for name, value in body.items():
        raise refused(name, value, "is not taken here: give seed and answers alone")
    verdicts = await run_in_threadpool(grade, chosen.given, answers)
    return {key: verdict_json(verdict) for key, verdict in verdicts.items()}


def case_json(case: Case) -> dict[str, Any]:
    """A case for programs; `units` says in which unit each truth is given."""
    return {
        "seed": case.seed,
        "accelerator": case.accelerator,
        "link_gb_per_s": case.link_gb_per_s,
        "given": asdict(case.given),
        "asked": list(QUANTITIES),
        "units": {q.key: q.unit for q in QUANTITIES.values()},
    }


def verdict_json(verdict: Verdict) -> dict[str, Any]:
    return {name: value for name, value in asdict(verdict).items() if name != "value"}


def read_seed(value: object) -> int:
    """A whole number; text of digits as in a link is taken too."""
    text = str(value).strip() if isinstance(value, (str, int)) and not isinstance(value, bool) else ""
    if text.isascii() and text.isdigit() and len(text) <= 16 and int(text) <= HIGHEST_SEED:
        return int(text)
    raise refused(
        "seed", "" if value is None else value, f"is not a seed: give a whole number from 0 to {HIGHEST_SEED}"
    )


def read_answers(value: object) -> dict[str, object]:
    """Answers by the names of a case; what stands in them is for the grader to judge."""
    example = '{"state": "160 GB"}'
    if not isinstance(value, dict):
        raise refused("answers", "" if value is None else value, f"is not an object: give one such as {example}")
    for name in value:
        if name not in QUANTITIES:
            raise refused(f"answers.{short(name)}", value[name], f"is not asked for: give {', '.join(QUANTITIES)}")
    return value
