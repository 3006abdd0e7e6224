"""The lab: one page, and its answer alone while a slider moves."""

from dataclasses import dataclass

from fastapi import APIRouter, HTTPException, Request, Response
from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse

from app.cards import PATH_CARDS, Card, all_cards, card_by_id, card_of
from app.form import Form, form_of, readable, readings, was_query
from app.model.sizing import size
from app.model.workload import Workload, WorkloadError
from app.pages import Recent, html, render, wants_fragment
from app.predictions import cause_of, changes, outcome, question_of
from app.query import read_query, read_was
from app.view import answer_view

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True)
class Answer:
    """The redrawn fragment, and the form that belongs to it."""

    fragment: Markup
    form: Form
    card: Card | None


ANSWERS: Recent[Answer] = Recent(most=512)


@router.get("/")
async def lab(request: Request) -> Response:
    """The page of one workload."""
    try:
        workload, was = read_query(request.query_params.multi_items())
    except WorkloadError as error:
        return refusal(request, error)
    answer = answer_for(workload, was)
    return html(answer.fragment if wants_fragment(request) else page(answer, was))


@router.get("/cards/{card_id}")
async def card(request: Request, card_id: str, was: str = "", guess: str = "") -> Response:
    """A card's question; with a guess, the guess beside the result. A card that asks nothing opens the lab."""
    chosen = card_by_id(card_id)
    if chosen is None:
        raise HTTPException(404, f"There is no card {card_id[:40]!r}; the lab lists them all.")
    if chosen.prediction is None:
        return RedirectResponse(f"/?{chosen.query}")
    base = chosen.before_workload or (read_was(was) if was else None)
    answer = answer_for(chosen.workload, base)
    panel, status = await run_in_threadpool(panel_of, chosen, base, guess)
    return html(panel if wants_fragment(request) else page(answer, base, panel), status)


def answer_for(workload: Workload, was: Workload | None) -> Answer:
    """The answer from the cache, or made at once: threads that take turns at the interpreter make all wait longer."""
    key = f"{workload.query()}|{was.query() if was else '-'}"
    answer = ANSWERS.get(key)
    if answer is None:
        answer = make_answer(workload, was)
        ANSWERS.put(key, answer)
    return answer


def make_answer(workload: Workload, was: Workload | None) -> Answer:
    now, before = size(workload, was), size(was) if was else None
    form, card = form_of(workload, now, was), card_of(workload)
    state = readings(form, card.id if card else "")
    fragment = render("_fragment.html", readings=state, v=answer_view(now, before))
    return Answer(Markup(fragment), form, card)


def page(answer: Answer, was: Workload | None, panel: str = "") -> str:
    cards = all_cards()
    return render(
        "lab.html",
        form=answer.form,
        was=was_query(was) if was else "",
        answer=answer.fragment,
        panel=panel,
        path=cards[:PATH_CARDS],
        more=cards[PATH_CARDS:],
        current=answer.card,
        was_query=was_query,
    )


def refusal(request: Request, error: WorkloadError) -> Response:
    """A usable page with what is wrong at each field, and no figures of another design."""
    typed = {k: v for k, v in request.query_params.items() if k != "was"}
    workload, problems = readable(typed)
    form = form_of(workload, problems={p.field: p for p in (*problems, *error.problems)}.values())
    fragment = Markup(render("_problems.html", form=form, readings=readings(form, "")))
    return html(fragment if wants_fragment(request) else page(Answer(fragment, form, None), None), 422)


def panel_of(chosen: Card, was: Workload | None, guess: str) -> tuple[Markup, int]:
    """The panel of a card that asks, and the status of the answer. The lab below it compares with
    `was`; the question is about the card alone, or the card beside its own `before`."""
    before = chosen.before_workload
    context = {
        "card": chosen,
        "question": question_of(chosen, size(before) if before else None),
        "changes": changes(before, chosen.workload),
        "was": was_query(was) if was else "",
    }
    if not guess:
        return Markup(render("_ask.html", fault="", guess="", **context)), 200
    now = size(chosen.workload, before)
    try:
        result = outcome(chosen, guess, now)
    except ValueError as error:
        return Markup(render("_ask.html", fault=str(error), guess=guess[:40], **context)), 422
    return Markup(render("_reveal.html", outcome=result, cause=cause_of(now, chosen.prediction), **context)), 200
