"""The arithmetic behind a change: which term moved most, and which limit binds."""

from app.model.answer import Bottleneck
from app.model.bottlenecks import MOST
from app.model.design import Design
from app.model.phrases import (
    bytes_pair,
    minutes_lost,
    moved,
    number,
    pair,
    rate,
    sequences,
    share,
    share_pair,
    size,
    some,
    span,
    span_pair,
    upper,
)
from app.model.shapes import PARTS, fullest_part
from app.model.units import grouped, power, significant

TERMS = {
    "compute_seconds": "computing",
    "tensor_exposed_seconds": "tensor exchange",
    "context_exposed_seconds": "context exchange",
    "expert_exposed_seconds": "expert exchange",
    "pipeline_exposed_seconds": "pipeline exchange",
    "data_parallel_exposed_seconds": "data-parallel exchange",
    "bubble_seconds": "the pipeline bubble",
    "optimizer_seconds": "the optimizer",
    "overhead_seconds": "fixed cost",
    "loader_wait_seconds": "waiting for data",
}
LEVELS = ("none", "selective", "full")
BINDERS = {
    "memory": "memory binds",
    "collectives": "communication binds",
    "data_pipeline": "data supply binds",
    "activations": "activation memory binds",
    "failures": "failures bind",
}


def cause(design: Design, before: Design) -> str:
    """What in the arithmetic moved: memory where fitting changed, else time, else failures or memory."""
    if not (design.memory.fits and before.memory.fits):
        return _memory_cause(design, before)
    if moved(before.run.days, design.run.days) or moved(before.run.mfu, design.run.mfu):
        return " ".join([*_work_sentences(design, before), _efficiency_sentence(design, before)])
    if moved(before.reliability.goodput, design.reliability.goodput):
        return _failure_cause(design, before)
    return _memory_cause(design, before)


def _memory_cause(design: Design, before: Design) -> str:
    """The part of the fullest GPU that moved most."""
    now, was = design.memory, before.memory
    field = max(PARTS, key=lambda f: abs(getattr(now, f) - getattr(was, f)))
    old, new = getattr(was, field), getattr(now, field)
    if not moved(old, new):
        if was.usable_bytes != now.usable_bytes:
            return f"A GPU has {bytes_pair(was.usable_bytes, now.usable_bytes)} usable; what it holds stays."
        return "Neither the time of a step nor the memory of a GPU depends on what moved."
    total = bytes_pair(was.total_bytes, now.total_bytes)
    verb = "go" if PARTS[field].endswith("s") else "goes"
    return f"On the fullest GPU {PARTS[field]} {verb} {bytes_pair(old, new)}, all of it {total}."


def _work_sentences(design: Design, before: Design) -> list[str]:
    """Operations and peak, where they moved."""
    said = []
    if moved(_working(before), _working(design), 0.01):
        used, there = some(design.layout.gpus_used, "GPU"), grouped(design.workload.gpus)
        said.append(f"{used} of {there} work, {share(_working(design))}; before, {share(_working(before))} did.")
    if moved(before.run.flop, design.run.flop):
        ratio = number(design.run.flop / before.run.flop)
        said.append(f"The work, 6·N·D, is {ratio} times what it was: {power(design.run.flop)} FLOP.")
    old = before.accelerator.peak_flop_per_s(before.workload.precision)
    new = design.accelerator.peak_flop_per_s(design.workload.precision)
    if moved(old, new):
        said.append(f"The dense peak of a GPU goes {significant(old / 1e12)} → {significant(new / 1e12)} TFLOP/s.")
    return said


def _working(design: Design) -> float:
    """Share of the GPUs that the layout uses. [-]"""
    return design.layout.gpus_used / design.workload.gpus


def term_costs(design: Design) -> dict[str, float]:
    """Time of each term on the GPUs that work, for one unit of useful work at peak. [-]

    They sum to 1 ÷ MFU where no GPU is idle.
    """
    scale = _working(design) / (design.step.seconds * design.run.mfu)
    return {term: scale * getattr(design.step, term) for term in TERMS}


def _efficiency_sentence(design: Design, before: Design) -> str:
    """The term of the step whose cost for the same work moved most."""
    mfu = share_pair(before.run.mfu, design.run.mfu)
    if not moved(before.run.mfu, design.run.mfu, 0.01):
        return f"Every part of a step keeps about its share, and MFU stays at {share(design.run.mfu)}."
    now, was = term_costs(design), term_costs(before)
    total, earlier = sum(now.values()), sum(was.values())
    if not moved(earlier, total, 0.01):
        return f"MFU goes {mfu} with the GPUs that are idle; those that work are as busy as before."
    falls = total > earlier
    term = max(TERMS, key=lambda t: now[t] - was[t] if falls else was[t] - now[t])
    word = "falls" if design.run.mfu < before.run.mfu else "rises"
    if term == "compute_seconds":
        because = _compute_because(design, before, falls)
        how = f"the same work computes {number(now[term] / was[term])} times as long{because}."
    elif share(_part_of(before, term)) == share(_part_of(design, term)):
        how = f"{TERMS[term]} costs {number(now[term] / was[term])} times as much for the same work."
    else:
        old, new = _part_of(before, term), _part_of(design, term)
        how = f"{TERMS[term]} takes {share(new)} of each step instead of {share(old)}. {_because(term, design, before)}"
    return f"MFU {word} {mfu}: {how}".strip()


def _part_of(design: Design, term: str) -> float:
    return float(getattr(design.step, term) / design.step.seconds)


def _compute_because(design: Design, before: Design, slower: bool) -> str:
    """A difference that moves the time of computing this way; empty where none does for sure."""
    now, was = design.layout, before.layout
    if design.accelerator.generation != before.accelerator.generation:
        return f", on a GPU that reaches {'less' if slower else 'more'} of its peak"
    if now.recompute != was.recompute and (LEVELS.index(now.recompute) > LEVELS.index(was.recompute)) == slower:
        return f", with {_recompute(now.recompute)} instead of {_recompute(was.recompute)}"
    if now.tensor != was.tensor and (now.tensor > was.tensor) == slower:
        return f", its matrices cut {some(now.tensor, 'way')} instead of {grouped(was.tensor)}"
    if now.micro_batch != was.micro_batch and (now.micro_batch < was.micro_batch) == slower:
        return f", in micro-batches of {some(now.micro_batch, 'sequence')} instead of {was.micro_batch}"
    if design.model.hidden != before.model.hidden and (design.model.hidden < before.model.hidden) == slower:
        return f", on matrices {grouped(design.model.hidden)} wide instead of {grouped(before.model.hidden)}"
    return ""


def _recompute(level: str) -> str:
    return {"none": "nothing recomputed", "selective": "selective recompute", "full": "full recompute"}[level]


def _because(term: str, design: Design, before: Design) -> str:
    """Why a term other than computing weighs differently; empty where its share says it all."""
    now, was = design.layout, before.layout
    if term == "bubble_seconds":
        if now.pipeline == 1:
            return "There is one stage only."
        fewer = was.pipeline > 1 and was.microbatches != now.microbatches
        old = f" instead of {grouped(was.microbatches)}" if fewer else ""
        each = sequences(design) / now.data
        return (
            f"With {number(each)} {'sequence' if each == 1 else 'sequences'} a replica, "
            f"{some(now.pipeline, 'stage')} fill and drain "
            f"for {some(now.microbatches, 'micro-batch', 'micro-batches')}{old}."
        )
    if term == "loader_wait_seconds":
        data = design.data
        needed, supplied = rate(data.needed_tokens_per_s), rate(data.supplied_tokens_per_s)
        return f"The mesh asks for {needed}, the loaders give {supplied}."
    if term.endswith("_exposed_seconds"):
        return _exchange_because(term.removesuffix("_exposed_seconds"), design, before)
    if term == "overhead_seconds":
        return f"A step takes {pair(span_pair(before.step.seconds), span_pair(design.step.seconds))}."
    return ""


def _exchange_because(kind: str, design: Design, before: Design) -> str:
    """Bytes, link or seconds: the first that moved the way the exchange's share did."""
    sent, old = (getattr(d.step.communication_bytes, kind) for d in (design, before))
    seconds, earlier = (getattr(d.step.communication_seconds, kind) for d in (design, before))
    if sent == 0:
        return "It is gone."
    if old == 0:
        return f"Each GPU now sends {size(sent)} a step, in {span(seconds)}."
    term = f"{kind}_exposed_seconds"
    more = _part_of(design, term) > _part_of(before, term)
    if moved(old, sent) and (sent > old) == more:
        return f"Each GPU sends {bytes_pair(old, sent)} a step."
    link, slower = design.workload.link_gb_per_s, before.workload.link_gb_per_s
    if link != slower and (link < slower) == more:
        return f"The link across nodes goes {number(slower)} → {number(link)} GB/s."
    took = pair(span_pair(earlier), span_pair(seconds))
    return f"It takes {took}, in a step of {pair(span_pair(before.step.seconds), span_pair(design.step.seconds))}."


def _failure_cause(design: Design, before: Design) -> str:
    now, was = design.reliability, before.reliability
    repeated, restarting = minutes_lost(design)
    each = f"each costs {span(60 * repeated)} of repeated work and {span(60 * restarting)} of restarting"
    if moved(was.stops_per_day, now.stops_per_day):
        often, earlier = span(3600 * now.hours_between_stops), span(3600 * was.hours_between_stops)
        return f"Stops come every {often} instead of {earlier}; {each}."
    shares = {
        "repeated work": (was.repeated_fraction, now.repeated_fraction),
        "writing checkpoints": (was.stall_fraction, now.stall_fraction),
        "restarting": (was.restart_fraction, now.restart_fraction),
    }
    word, (old, new) = max(shares.items(), key=lambda item: abs(item[1][1] - item[1][0]))
    goodput = share_pair(was.goodput, now.goodput)
    return f"{upper(word)} takes {share(new)} of the time instead of {share(old)}; goodput {goodput}."


def cause_alone(design: Design) -> str:
    """What the parts of a step are, without a comparison."""
    if not design.memory.fits:
        part, part_bytes = fullest_part(design)
        total = design.memory.total_bytes
        return f"The fullest GPU would hold {size(total)}, {share(part_bytes / total)} of it {part}."
    step = design.step
    head = f"Computing takes {share(step.compute_seconds / step.seconds)} of each {span(step.seconds)} step"
    loss, taken = largest_loss(design)
    return f"{head}; the largest loss is {loss}, {share(taken)}." if taken > 0 else f"{head}."


def largest_loss(design: Design) -> tuple[str, float]:
    """The term other than computing that takes most of a step, and its share."""
    terms = {t: _part_of(design, t) for t in TERMS if t != "compute_seconds"}
    term = max(terms, key=lambda t: terms[t])
    return TERMS[term], terms[term]


def highest_load(design: Design) -> Bottleneck:
    """The load nearest to its limit, or farthest past it; memory wherever the design does not fit."""
    if not design.memory.fits:
        return next(b for b in design.bottlenecks if b.id == "memory")
    return max(design.bottlenecks, key=lambda b: b.load)


def _load(bottleneck: Bottleneck) -> str:
    return f"{share(bottleneck.load)}{' or more' if bottleneck.load >= MOST else ''}"


def binds(design: Design, before: Design) -> str:
    """Which limit binds now, and which did before."""
    now, was = highest_load(design), highest_load(before)
    if now.status == "ok":
        return _nothing_binds(design, f" Before, {_said(was)}." if was.status != "ok" else "")
    if now.id == was.id and was.status != "ok":
        stays = BINDERS[now.id].replace(" bind", " still bind")
        earlier = "as before" if _load(now) == _load(was) else f"was {_load(was)}"
        return f"{upper(stays)}, at {_load(now)} ({earlier}): {now.figure.note}."
    earlier = _said(was) if was.status != "ok" else f"no load was past {_load(was)}"
    return f"Now {BINDERS[now.id]}, at {_load(now)}: {now.figure.note}. Before, {earlier}."


def _said(load: Bottleneck) -> str:
    past = {"binds": "bound", "bind": "bound"}
    words = BINDERS[load.id].rsplit(" ", 1)
    return f"{words[0]} {past[words[1]]}, at {_load(load)}"


def binds_alone(design: Design) -> str:
    """Which limit binds, without a comparison."""
    load = highest_load(design)
    if load.status == "ok":
        return _nothing_binds(design, "")
    return f"{upper(BINDERS[load.id])}, at {_load(load)}: {load.figure.note}."


def _nothing_binds(design: Design, before: str) -> str:
    """All loads are ok: what costs most time instead."""
    loss, part = largest_loss(design)
    lost = 1 - design.reliability.goodput
    if lost > part:
        loss, part = "what stops cost", lost
    load = highest_load(design)
    name = load.label.replace("Per-GPU m", "m").lower()
    return (
        f"No limit is near: {name} is highest, at {share(load.load)}. "
        f"The largest loss of time is {loss}, {share(part)}.{before}"
    )
