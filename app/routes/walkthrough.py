"""The walkthrough: six pages of one workload, each a question and, on demand, its answer."""

from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode

from fastapi import APIRouter, HTTPException, Request, Response
from starlette.concurrency import run_in_threadpool

from app.derivation_view import Place, derivation_view
from app.model.rules import rules
from app.model.sizing import design
from app.model.workload import Problem, Workload, WorkloadError
from app.pages import html, render
from app.query import read_query, short, single
from app.walkthrough import EXAMPLES, NAMES, Step, summary, walk
from app.walkthrough.line import line_of, outcome_of

router = APIRouter(include_in_schema=False)

STEPS = len(NAMES)


@dataclass(frozen=True)
class Asked:
    """Which step of which workload; `shown` without a guess is a question skipped."""

    workload: Workload
    number: int
    guess: str
    shown: bool

    def href(self, number: int, **more: str) -> str:
        own = urlencode({"step": number, **more})
        query = self.workload.query()
        return f"/walkthrough?{query}&{own}" if query else f"/walkthrough?{own}"


@router.get("/walkthrough")
async def walkthrough(request: Request) -> Response:
    """One step of a workload: its question; with a guess, or when it is skipped, its answer."""
    try:
        asked = read(request)
    except WorkloadError as error:
        raise HTTPException(422, f"{str(error)[:1].upper()}{str(error)[1:]}.") from None
    text, status = await run_in_threadpool(page, asked)
    return html(text, status)


def read(request: Request) -> Asked:
    """Raises WorkloadError where an input or the number of the step cannot be used."""
    values = single(request.query_params.multi_items())
    number, guess, shown = (values.pop(name, "") for name in ("step", "guess", "shown"))
    workload, _ = read_query(values.items())
    steps = {str(n): n for n in range(1, STEPS + 1)}
    if number and number not in steps:
        raise WorkloadError((Problem("step", short(number), f"is {short(number)!r}: give 1 to {STEPS}"),))
    return Asked(workload, steps.get(number, 1), guess, bool(shown))


def page(asked: Asked) -> tuple[str, int]:
    """The page, and its status: a guess that cannot be read is asked for again."""
    found = walk(asked.workload, asked.number)
    key = f"{asked.workload.query()}|{asked.number}"
    context: dict[str, object] = {"question": line_of(found.ask, key), "fault": "", "guess": ""}
    if asked.guess:
        try:
            context["outcome"] = outcome_of(found.ask, key, asked.guess)
        except ValueError as error:
            again = {"fault": str(error), "guess": short(asked.guess)}
            return rendered("walkthrough/ask.html", asked, found, context | again), 422
    if asked.guess or asked.shown:
        return rendered("walkthrough/answer.html", asked, found, context | behind(asked, found)), 200
    return rendered("walkthrough/ask.html", asked, found, context), 200


def behind(asked: Asked, found: Step) -> dict[str, object]:
    """The arithmetic and the sources of an answer; after the last one, what all six found."""
    now, place = design(asked.workload), Place(asked.workload.query())
    last = asked.number == STEPS
    return {
        "sums": [derivation_view(now, d, place) for d in found.sums],
        "rules": [r for r in rules(now) if r.id in found.rules],
        "findings": [walk(asked.workload, n + 1).title for n in range(STEPS)] if last else [],
    }


def rendered(template: str, asked: Asked, found: Step, context: dict[str, object]) -> str:
    query = asked.workload.query()
    return render(
        template,
        step=found,
        number=asked.number,
        names=NAMES,
        href=asked.href,
        lab=f"/?{query}" if query else "/",
        fields=parse_qsl(query),
        summary=summary(asked.workload),
        examples=[(e.label, f"/walkthrough?{e.query}", e.query == query) for e in EXAMPLES],
        **context,
    )
