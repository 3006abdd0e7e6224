"""The report of a rehearsal: a summary for the page, and the files to keep."""

import json
from dataclasses import asdict, dataclass

from app.model.grading.chain import QUANTITIES
from app.model.grading.grader import grade
from app.model.grading.steps import STEPS
from app.rehearsal import Rehearsal, StepView, facts, step_view


@dataclass(frozen=True)
class Report:
    """All steps with their verdicts; `practise` names the steps with the most to gain, the worst first."""

    steps: tuple[StepView, ...]
    numbers_full: int
    numbers: int
    picks_right: int
    picks: int
    practise: tuple[str, ...]


def report_of(rehearsal: Rehearsal) -> Report:
    views = tuple(step_view(rehearsal, step.id) for step in STEPS)
    missed = sorted(((_missed(v), -v.place, v) for v in views), key=lambda m: m[:2], reverse=True)
    return Report(
        steps=views,
        numbers_full=sum(n.grade == "full" for v in views for n in v.numbers),
        numbers=len(QUANTITIES),
        picks_right=sum(p.right for v in views for p in v.picks),
        picks=2 * len(STEPS),
        practise=tuple(v.step.title for share, _, v in missed if share > 0)[:3],
    )


def _missed(view: StepView) -> float:
    """Share of a step that was not right. [-]"""
    right = sum(n.grade == "full" for n in view.numbers) + sum(p.right for p in view.picks)
    return 1 - right / (len(view.numbers) + len(view.picks))


def markdown(rehearsal: Rehearsal) -> str:
    """The report as a Markdown file."""
    report = report_of(rehearsal)
    lines = ["# Rehearsal report", "", f"Case: /rehearse?{rehearsal.case.query}", ""]
    lines += [f"- {name}: {value}" for name, value in facts(rehearsal.case)]
    lines += ["", f"Numbers within 10 %: {report.numbers_full} of {report.numbers}. "]
    lines[-1] += f"Choices and reasons right: {report.picks_right} of {report.picks}."
    if report.practise:
        lines += ["", "To practise: " + "; ".join(report.practise) + "."]
    for view in report.steps:
        lines += ["", *_step_lines(view)]
    return "\n".join(lines) + "\n"


def _step_lines(view: StepView) -> list[str]:
    lines = [f"## {view.place}. {view.step.title}", ""]
    for n in view.numbers:
        said = _quoted(n.answer) or "no answer"
        lines.append(f"- {n.label}: {said}, {n.word}. {n.sentence}".rstrip())
        lines.append(f"  - Right: {n.line}" + (f"; from your value {n.from_yours}" if n.from_yours else ""))
    for p in view.picks:
        verdict = "right" if p.right else f"right would be: {p.right_text}"
        lines.append(f"- {p.text}: {p.picked_text or 'no answer'} ({verdict}). {p.why}")
    if view.note:
        lines += ["", *(f"> {_quoted(line)}" for line in view.note.splitlines())]
    return lines


def _quoted(text: str) -> str:
    """A candidate's text with the signs of Markdown and HTML made plain."""
    for sign in "\\`*_<>[]#|":
        text = text.replace(sign, f"\\{sign}")
    return " ".join(text.split())


def json_text(rehearsal: Rehearsal) -> str:
    """The report as a JSON file: the case, what was said, and a verdict on each number and choice."""
    report, case = report_of(rehearsal), rehearsal.case
    graded = grade(case.given, rehearsal.answers())
    body = {
        "case": f"/rehearse?{case.query}",
        "seed": case.seed,
        "given": asdict(case.given),
        "answers": rehearsal.answers(),
        "verdicts": {key: asdict(verdict) for key, verdict in graded.items()},
        "picks": {p.name: {"picked": p.picked, "right": p.right} for v in report.steps for p in v.picks},
        "notes": {v.step.id: v.note for v in report.steps if v.note},
        "numbers_within_10_percent": report.numbers_full,
        "picks_right": report.picks_right,
        "practise": list(report.practise),
    }
    return json.dumps(body, indent=2, ensure_ascii=True) + "\n"
