"""A model that someone brings: its counts, parts and FLOP, as page, API and terminal show them."""

from dataclasses import asdict, dataclass, replace
from typing import Any

from app.answers import dump
from app.formats.huggingface import Reading
from app.model.answer import ModelPart
from app.model.architecture import Transformer
from app.model.model_code import MOST_TEXT, encode
from app.model.model_parts import Architecture
from app.model.units import grouped
from app.model.workload import Workload

Model = Transformer | Architecture


@dataclass(frozen=True)
class Row:
    """One line of a table: a part, its weights, those that a token uses, and where they come from."""

    name: str
    params: str
    active: str
    formula: str


@dataclass(frozen=True)
class Work:
    """One addend of the FLOP that training on a token takes."""

    name: str
    formula: str
    flop: str


@dataclass(frozen=True)
class Counts:
    """Counts of one model; the last row of `parts` and of `work` is the sum. `letters` explains the formulas.

    untimed: why the lab does not size it, as a sentence; empty where it does
    query: the workload that trains it; empty where the lab does not size it
    """

    name: str
    kind: str
    total: str
    active: str
    parts: tuple[Row, ...]
    work: tuple[Work, ...]
    letters: str
    filled: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    untimed: str = ""
    query: str = ""


def named(reading: Reading, name: str) -> Reading:
    """The same model under the name that was asked for, without what cannot be printed."""
    asked = "".join(c for c in name if c.isprintable()).strip()[:MOST_TEXT]
    return replace(reading, model=replace(reading.model, name=asked or reading.model.name))


def counts_of_reading(reading: Reading, workload: Workload) -> Counts:
    """What a file says, and the workload with its model in place of the one before."""
    code, untimed = code_of(reading.model)
    query = workload_with(workload, code, reading.model.total_params).query() if code else ""
    return _counts(
        reading.model, workload, reading.model_type,
        filled=reading.filled, notes=reading.notes, untimed=untimed, query=query,
    )  # fmt: skip


def counts_of_given(model: Transformer, workload: Workload) -> Counts:
    """The counts of the model that a workload carries or names."""
    return _counts(model, workload, "", query=workload.query())


def code_of(model: Model) -> tuple[str, str]:
    """The code of a model, or why it has none, as a sentence."""
    if not isinstance(model, Transformer):
        return "", f"No time is given: {model.untimed}"
    try:
        return encode(model), ""
    except ValueError as error:
        return "", f"The lab does not size it: it {error}."


def workload_with(workload: Workload, code: str, total: float) -> Workload:
    """The same workload on another model; frozen weights are kept where the new model has as many."""
    trained = workload.trained_params
    kept = trained if trained is not None and trained <= total else None
    params = Workload.model_fields["params"].default
    return workload.changed(model=None, own_model=code, params=params, trained_params=kept)


def model_json(reading: Reading) -> bytes:
    """The answer of the API; `own_model` is null where the lab does not size the model, `untimed` says why."""
    model = reading.model
    code, untimed = code_of(model)
    return dump({
        "name": _name(model),
        "model_type": reading.model_type,
        "total_params": model.total_params,
        "active_params": model.active_params,
        "parts": [asdict(part) for part in model.parts()],
        "filled": reading.filled,
        "notes": reading.notes,
        "time_predictable": bool(code),
        "untimed": untimed,
        "own_model": code or None,
    })  # fmt: skip


def _name(model: Model) -> str:
    return model.name[:MOST_TEXT]


def _counts(model: Model, workload: Workload, kind: str, **more: Any) -> Counts:
    return Counts(
        name=_name(model),
        kind=kind,
        total=grouped(model.total_params),
        active=grouped(model.active_params),
        parts=(*map(_row, model.parts()), Row("total", grouped(model.total_params), grouped(model.active_params), "")),
        work=_work(model, workload.seq_tokens) if isinstance(model, Transformer) else (),
        letters=_letters(model) if isinstance(model, Transformer) else "",
        **more,
    )


def _row(part: ModelPart) -> Row:
    return Row(
        part.id.replace("_", " ").replace("ffn", "FFN"), grouped(part.params), grouped(part.active_params), part.formula
    )


def _work(model: Transformer, seq_tokens: int) -> tuple[Work, ...]:
    whole, attention = model.flop_per_token(seq_tokens), model.attention_flop_per_token(seq_tokens)
    return (
        Work("weights", "6·active", grouped(whole - attention)),
        Work(f"attention over {grouped(seq_tokens)} tokens", "12·L·q·s", grouped(attention)),
        Work("total", "", grouped(whole)),
    )


def _letters(m: Transformer) -> str:
    sizes = {"L": m.layers, "h": m.hidden, "q": m.q_width, "kv": m.kv_width, "f": m.ffn or m.expert_ffn, "V": m.vocab}
    sizes |= {"E": m.experts} if m.experts else {}
    return ", ".join(f"{letter} = {grouped(size)}" for letter, size in sizes.items())
