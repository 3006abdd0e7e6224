"""One rehearsal as the page shows it: the candidate's answers, the verdicts, and the right lines."""

from collections.abc import Mapping
from dataclasses import dataclass

from app.model.grading.cases import Case, Given
from app.model.grading.chain import QUANTITIES
from app.model.grading.diagnoses import explained
from app.model.grading.grader import Verdict, grade
from app.model.grading.lines import figure, plain_number, right_line
from app.model.grading.steps import STEPS, Question, Step
from app.model.units import count, grouped, significant

MOST_ANSWER, MOST_NOTE = 200, 2000
"""Characters kept of a number, and of a note."""

REPORT = "report"
EXAMPLES = {
    "bytes": "such as 160 GB",
    "flop": "such as 6e22 FLOP",
    "days": "such as 6.9 days",
    "seconds": "such as 47 s",
    "percent": "such as 48 %",
    "per_day": "such as 7.8 a day",
    "count": "such as 16",
}
WORDS = {
    "full": "within 10 %",
    "close": "within 25 %",
    "order": "right order of magnitude",
    "wrong": "off",
    "unread": "not read",
}


@dataclass(frozen=True)
class Rehearsal:
    """What the candidate has said so far. `at` is a step's id or `report`; `graded` holds ids of steps."""

    case: Case
    at: str
    graded: frozenset[str]
    said: Mapping[str, str]

    def answers(self) -> dict[str, str]:
        return {key: self.said[key] for key in QUANTITIES if self.said.get(key)}


@dataclass(frozen=True)
class Number:
    """One number of a step. `sentence` says what was recognised; `error` asks for what could not be read."""

    key: str
    label: str
    example: str
    answer: str
    carried: str
    error: str
    grade: str
    word: str
    read_as: str
    sentence: str
    line: str
    from_yours: str


@dataclass(frozen=True)
class Pick:
    """A choice or a reason: its options, what was picked, and whether that is right."""

    name: str
    text: str
    options: tuple[tuple[str, str], ...]
    picked: str
    picked_text: str
    right: bool
    right_text: str
    why: str


@dataclass(frozen=True)
class StepView:
    step: Step
    place: int
    graded: bool
    numbers: tuple[Number, ...]
    choice: Pick
    reason: Pick
    note_name: str
    note: str

    @property
    def picks(self) -> tuple[Pick, Pick]:
        return self.choice, self.reason

    @property
    def asks(self) -> bool:
        """Whether a number could not be read."""
        return any(n.error for n in self.numbers)


def field_names() -> tuple[str, ...]:
    """Every field of a rehearsal that a candidate fills in."""
    parts = [f"{part}_{step.id}" for step in STEPS for part in ("choice", "reason", "note")]
    return (*QUANTITIES, *parts)


def read_rehearsal(case: Case, fields: Mapping[str, str]) -> Rehearsal:
    """What a form says; unknown words are left aside, long texts cut."""
    ids = [step.id for step in STEPS]
    at = fields.get("at", "")
    said = {}
    for name in field_names():
        most = MOST_NOTE if name.startswith("note_") else MOST_ANSWER
        said[name] = fields.get(name, "").strip()[:most]
    graded = frozenset(fields.get("graded", "").split(",")) & frozenset(ids)
    return Rehearsal(case, at if at in (*ids, REPORT) else ids[0], graded, said)


def act(rehearsal: Rehearsal, do: str) -> Rehearsal:
    """The rehearsal after a button: grade, next, back, again, report, or go:STEP.

    `grade` and `next` stay where they are when a number cannot be read; with an exclamation mark they do not.
    """
    ids = [step.id for step in STEPS]
    case, at, graded, said = rehearsal.case, rehearsal.at, rehearsal.graded, rehearsal.said
    if do == REPORT:
        return Rehearsal(case, REPORT, frozenset(ids), said)
    if do.startswith("go:") and do[3:] in ids:
        return Rehearsal(case, do[3:], graded, said)
    if at == REPORT or (do in ("grade", "next") and step_view(rehearsal, at, asking=True).asks):
        return rehearsal
    place = ids.index(at)
    if do.rstrip("!") == "grade":
        return Rehearsal(case, at, graded | {at}, said)
    if do.rstrip("!") == "next":
        return Rehearsal(case, ids[min(place + 1, len(ids) - 1)], graded, said)
    if do == "back":
        return Rehearsal(case, ids[max(place - 1, 0)], graded, said)
    if do == "again":
        mine = {*STEPS[place].keys, f"choice_{at}", f"reason_{at}"}
        return Rehearsal(case, at, graded - {at}, {n: "" if n in mine else v for n, v in said.items()})
    return rehearsal


def step_view(rehearsal: Rehearsal, step_id: str, asking: bool = False) -> StepView:
    """One step; `asking` says what could not be read before anything is graded."""
    place, step = next((i, s) for i, s in enumerate(STEPS) if s.id == step_id)
    verdicts = grade(rehearsal.case.given, rehearsal.answers())
    shown = step_id in rehearsal.graded
    return StepView(
        step=step,
        place=place + 1,
        graded=shown,
        numbers=tuple(_number(rehearsal, key, verdicts, shown, asking) for key in step.keys),
        choice=_pick(rehearsal, step.choice, f"choice_{step_id}"),
        reason=_pick(rehearsal, step.reason, f"reason_{step_id}"),
        note_name=f"note_{step_id}",
        note=rehearsal.said[f"note_{step_id}"],
    )


def _number(r: Rehearsal, key: str, verdicts: Mapping[str, Verdict], shown: bool, asking: bool) -> Number:
    verdict = verdicts.get(key)
    unread = verdict is not None and verdict.grade == "unread"
    return Number(
        key=key,
        label=QUANTITIES[key].label,
        example=EXAMPLES[QUANTITIES[key].kind],
        answer=r.said[key],
        carried=_carried(r, key, verdicts),
        error=explained(verdict) if verdict and unread and asking and not shown else "",
        grade=verdict.grade if verdict else "unread",
        word=_word(verdict),
        read_as=_read_as(key, r.said[key], verdict),
        sentence=explained(verdict) if verdict else "",
        line=right_line(key, r.case.given),
        from_yours=_from_yours(key, verdict),
    )


def _read_as(key: str, answer: str, verdict: Verdict | None) -> str:
    """What was understood, where it is written otherwise than the answer."""
    if verdict is None or not verdict.value or verdict.value <= 0:
        return ""
    understood = figure(key, verdict.value)
    return "" if "".join(understood.split()) == "".join(answer.split()) else understood


def _word(verdict: Verdict | None) -> str:
    if verdict is None:
        return "not answered"
    if verdict.grade == "wrong" and verdict.factor and 0 < verdict.factor < 1e6:
        off = verdict.factor if verdict.factor > 1 else 1 / verdict.factor
        return f"off by a factor of {significant(off, 2)}" if off < 1e6 else "off"
    return WORDS[verdict.grade]


def _carried(r: Rehearsal, key: str, verdicts: Mapping[str, Verdict]) -> str:
    """From which own value this number goes on, the true one beside it once that step is graded."""
    earlier = QUANTITIES[key].comes_from
    verdict = verdicts.get(earlier)
    if verdict is None or not verdict.value or verdict.value <= 0:
        return ""
    home = next(step.id for step in STEPS if earlier in step.keys)
    true = f" (true: {figure(earlier, verdict.truth)})" if home in r.graded else ""
    return f"Goes on from your {figure(earlier, verdict.value)}{true}."


def _from_yours(key: str, verdict: Verdict | None) -> str:
    if verdict is None or figure(key, verdict.truth) == figure(key, verdict.truth_from_your_value):
        return ""
    return figure(key, verdict.truth_from_your_value)


def _pick(r: Rehearsal, question: Question, name: str) -> Pick:
    right = question.right(r.case.given)
    picked = r.said[name] if r.said[name] in question.options else ""
    return Pick(
        name=name,
        text=question.text,
        options=tuple(question.options.items()),
        picked=picked,
        picked_text=question.options.get(picked, ""),
        right=picked == right,
        right_text=question.options[right],
        why=question.why,
    )


def facts(case: Case) -> tuple[tuple[str, str], ...]:
    """What the candidate is told, as names and values with units."""
    g: Given = case.given
    return (
        ("Model", f"{count(g.params)} parameters, all trained"),
        ("Training tokens", count(g.train_tokens)),
        ("GPUs", f"{grouped(g.gpus)}, {g.gpus_per_node} in a server"),
        ("Accelerator", case.accelerator),
        ("Memory of each", f"{plain_number(g.memory_gb)} GB"),
        ("Listed 16-bit peak", f"{significant(g.sparse_peak_tflops, 5)} TFLOP/s with sparsity"),
        ("Dense 16-bit peak", f"{significant(g.dense_peak_tflops, 4)} TFLOP/s"),
        ("Utilization to plan with", f"{plain_number(round(100 * g.mfu, 1))} %"),
        ("Network across servers", f"{plain_number(case.link_gb_per_s)} GB/s for each GPU"),
        ("Pipeline", f"{g.pipeline} stages, {grouped(g.microbatches)} micro-batches in a step"),
        ("Failures", f"one stop in {grouped(g.mtbf_gpu_hours)} GPU-hours"),
        ("Checkpoint", f"every {plain_number(g.checkpoint_minutes)} minutes, the full state"),
        ("Checkpoint store", f"{plain_number(g.checkpoint_gb_per_s)} GB/s for all GPUs together"),
    )
