"""The architecture path: nine parts, each with its figures of this design, or why it is off."""

from app.model.answer import Figure, PathPart
from app.model.design import Design
from app.model.phrases import (
    joined,
    minutes_lost,
    nodes,
    number,
    rate,
    rate_pair,
    sequences,
    set_span,
    share,
    size,
    some,
    span,
    span_pair,
    step_tokens,
)
from app.model.units import bytes_text, count, grouped, percent, scaled

BYTES_PER_TOKEN = 4
"""A token id as loaders keep it."""
EXCHANGES = ("tensor", "context", "expert", "pipeline", "data_parallel")
EXCHANGE_WORDS = {
    "tensor": "tensor",
    "context": "context",
    "expert": "expert",
    "pipeline": "pipeline",
    "data_parallel": "data-parallel",
}


def path_parts(design: Design) -> tuple[PathPart, ...]:
    """The nine parts from token corpus to fault recovery."""
    return (
        _corpus(design),
        _loaders(design),
        _data_parallel(design),
        _tensor_parallel(design),
        _pipeline_parallel(design),
        _fabric(design),
        _checkpoint_store(design),
        _metrics(design),
        _recovery(design),
    )


def _figure(id: str, value: float, text: tuple[str, str], note: str = "") -> Figure:
    return Figure(id, value, text[0], text[1], note)


def _counted(id: str, value: int, word: str) -> Figure:
    return Figure(id, value, grouped(value), word if value == 1 else word + "s")


def _sent(design: Design, kind: str) -> Figure:
    sent = getattr(design.step.communication_bytes, kind)
    amount, unit = bytes_text(sent)
    return Figure(f"step.communication_bytes.{kind}", sent, amount, f"{unit} a step", "sent by each GPU")


def _corpus(design: Design) -> PathPart:
    tokens = design.run.tokens
    amount, letter = scaled(tokens)
    notes = (
        f"{size(BYTES_PER_TOKEN * tokens)} at {BYTES_PER_TOKEN} bytes",
        some(max(1, round(tokens / step_tokens(design))), "batch", "batches"),
    )
    figure = Figure("run.tokens", tokens, amount, f"{letter} tokens".strip())
    return PathPart("corpus", "Token corpus", "Dataset", True, (figure,), notes)


def _loaders(design: Design) -> PathPart:
    data = design.data
    wait = design.step.loader_wait_seconds
    notes = [f"of {joined(scaled(data.supplied_tokens_per_s))} streamed"]
    if wait > 0:
        notes.append(f"each step waits {span(wait)}")
    else:
        notes.append(f"{size(BYTES_PER_TOKEN * data.needed_tokens_per_s)}/s of ids")
    figure = _figure("data.needed_tokens_per_s", data.needed_tokens_per_s, rate_pair(data.needed_tokens_per_s))
    return PathPart("loaders", "Data loaders", "Data loaders", True, (figure,), tuple(notes))


def _data_parallel(design: Design) -> PathPart:
    layout = design.layout
    lit = layout.data > 1
    figures = [_counted("layout.data", layout.data, "replica")]
    if lit:
        figures.append(_sent(design, "data_parallel"))
        notes = [_sequences_each(design), _zero(layout.zero_stage)]
    else:
        notes = [_why_one_replica(design)]
    if layout.context > 1:
        notes.append(f"context {layout.context}: {some(layout.context, 'GPU')} share a sequence")
    if layout.expert > 1:
        notes.append(f"expert {layout.expert}: experts spread over {some(layout.expert, 'GPU')}")
    return PathPart("data_parallel", "Data parallel", "Training mesh", lit, tuple(figures), tuple(notes))


def _sequences_each(design: Design) -> str:
    least, surplus = divmod(sequences(design), design.layout.data)
    if surplus == 0:
        return f"{some(least, 'sequence')} each"
    return f"{least} or {least + 1} sequences each"


def _zero(stage: int) -> str:
    return f"ZeRO {stage}: {('nothing', 'optimizer', 'optimizer, gradients', 'all state')[stage]} sharded"


def _why_one_replica(design: Design) -> str:
    used = design.layout.gpus_used
    if design.workload.gpus == 1:
        return "one GPU: no gradients to exchange"
    if sequences(design) == 1:
        return "one sequence a step: nothing to share out"
    if used == 1:
        return f"1 of {grouped(design.workload.gpus)} GPUs works alone"
    return f"one replica takes all {some(used, 'GPU')}"


def _tensor_parallel(design: Design) -> PathPart:
    layout = design.layout
    lit = layout.tensor > 1
    figures = [_counted("layout.tensor", layout.tensor, "GPU")]
    if lit:
        figures.append(_sent(design, "tensor"))
        over = -(-layout.tensor // design.workload.gpus_per_node)
        notes = ("inside one node" if over == 1 else f"over {some(over, 'node')}",)
    else:
        notes = (why_unsplit(design, "tensor", "every layer fits one GPU"),)
    return PathPart("tensor_parallel", "Tensor parallel", "Training mesh", lit, tuple(figures), notes)


def _pipeline_parallel(design: Design) -> PathPart:
    layout = design.layout
    lit = layout.pipeline > 1
    figures = [_counted("layout.pipeline", layout.pipeline, "stage")]
    if lit:
        figures.append(_sent(design, "pipeline"))
        bubble = design.pipeline.bubble_over_ideal
        figures.append(Figure("pipeline.bubble_over_ideal", bubble, percent(bubble), "%", "bubble over ideal time"))
        notes = [_layers_each(design), f"bubble {share(bubble)} of the ideal time"]
    else:
        group = "one GPU" if layout.tensor == 1 else "one tensor group"
        notes = [why_unsplit(design, "pipeline", f"all {some(design.model.layers, 'layer')} fit {group}")]
    return PathPart("pipeline_parallel", "Pipeline parallel", "Training mesh", lit, tuple(figures), tuple(notes))


def _layers_each(design: Design) -> str:
    layers = [stage.layers for stage in design.memory.stages]
    least, most = min(layers), max(layers)
    if least == most:
        return f"{some(least, 'layer')} each"
    return f"{least} {'or' if most - least == 1 else 'to'} {some(most, 'layer')} each"


def why_unsplit(design: Design, part: str, reason: str) -> str:
    """Why a split is off: switched off, set to 1, or not needed (`reason`)."""
    if not design.workload.split_model:
        return "splitting is switched off"
    if getattr(design.workload, part) == 1:
        return "set to 1 by hand"
    if design.workload.gpus == 1:
        return "one GPU: nothing to split over"
    return reason if design.memory.fits else "off in the layout nearest to fitting"


def exchange_seconds(design: Design) -> dict[str, float]:
    """Seconds of exchange a step by kind, hidden or not, the longest first, kinds without traffic left out."""
    seconds = {kind: getattr(design.step.communication_seconds, kind) for kind in EXCHANGES}
    return {k: s for k, s in sorted(seconds.items(), key=lambda item: -item[1]) if s > 0}


def exposed_seconds(design: Design) -> float:
    """Seconds of exchange a step that no computing hides."""
    return float(sum(getattr(design.step, f"{kind}_exposed_seconds") for kind in EXCHANGES))


def _fabric(design: Design) -> PathPart:
    seconds = exchange_seconds(design)
    figures = tuple(
        _figure(f"step.communication_seconds.{k}", s, span_pair(s), f"{EXCHANGE_WORDS[k]} exchange a step")
        for k, s in (seconds or {"data_parallel": 0.0}).items()
    )
    place = ("fabric", "Collective fabric", "Comms + checkpoint")
    if not seconds:
        return PathPart(*place, False, figures, ("one GPU: nothing to exchange",))
    fast = number(design.accelerator.link_bytes_per_s / 1e9)
    links = f"{fast} GB/s in a node"
    if nodes(design) > 1:
        links += f", {number(design.workload.link_gb_per_s)} across"
    total = f"{span(sum(seconds.values()))} in all" if len(seconds) > 1 else "a step"
    notes = (f"{total}, {span(exposed_seconds(design))} in sight", links)
    return PathPart(*place, True, figures, notes)


def _checkpoint_store(design: Design) -> PathPart:
    stops = design.reliability
    write = stops.checkpoint_write_seconds
    figures = (
        _figure("reliability.checkpoint_bytes", stops.checkpoint_bytes, bytes_text(stops.checkpoint_bytes)),
        _figure("reliability.checkpoint_write_seconds", write, span_pair(write), "to write"),
    )
    behind = ", behind the training" if design.workload.checkpoint_async else ""
    notes = (
        f"every {set_span(design.workload.checkpoint_minutes)}",
        f"{span(write)} to write at {number(design.workload.checkpoint_gb_per_s)} GB/s{behind}",
    )
    return PathPart("checkpoint_store", "Checkpoint store", "Comms + checkpoint", True, figures, notes)


def _metrics(design: Design) -> PathPart:
    run = design.run
    figure = Figure("run.mfu", run.mfu, percent(run.mfu), "% MFU")
    if not design.memory.fits:
        notes = ("nothing to log: it does not fit", "MFU if it did")
        return PathPart("metrics", "Metrics", "Ops", False, (figure,), notes)
    speed = step_tokens(design) / design.step.seconds
    notes = (f"{rate(speed)} to expect", f"{count(round(speed / design.workload.gpus))} on each GPU")
    return PathPart("metrics", "Metrics", "Ops", True, (figure,), notes)


def _recovery(design: Design) -> PathPart:
    stops = design.reliability
    figure = Figure("reliability.stops_per_day", stops.stops_per_day, number(stops.stops_per_day), "stops a day")
    repeated, restarting = (60 * minutes for minutes in minutes_lost(design))
    notes = (
        f"one every {span(3600 * stops.hours_between_stops)}",
        f"{span(repeated + restarting)} lost at each",
        f"{span(repeated)} repeated, {span(restarting)} restarting",
    )
    return PathPart("recovery", "Fault recovery", "Ops", True, (figure,), notes)
