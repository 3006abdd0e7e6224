"""The recommended shape in words: name, heading and reasons."""

from app.model.answer import Shape, StageMemory
from app.model.design import Design
from app.model.phrases import one_replica, share, size, sold, some, span, state_on_gpu, upper
from app.model.units import count, grouped, percent

PARTS = {
    "weights_bytes": "weights",
    "gradients_bytes": "gradients",
    "optimizer_bytes": "optimizer state",
    "activations_bytes": "activations",
    "overhead_bytes": "buffers and context",
}


def shape(design: Design, before: Design | None) -> Shape:
    """Name, heading and one to three reasons of the recommended shape."""
    reasons = _excess_reasons(design) if design.shape_id == "does_not_fit" else _reasons(design)
    if before is not None and before.shape_id != design.shape_id:
        earlier = f"it was {shape_name(before)}" if before.memory.fits else "it did not fit"
        reasons = [*reasons[:2], f"Before, {earlier}."]
    return Shape(design.shape_id, shape_title(design), tuple(reasons))


def shape_title(design: Design) -> str:
    """A heading, as in 'Fleet: full 3D on 16 384 GPUs'."""
    if design.shape_id == "does_not_fit":
        return _excess_title(design)
    if design.shape_id == "single_gpu":
        alone = design.workload.gpus == 1
        return "One GPU" if alone else f"One GPU of {grouped(design.workload.gpus)}"
    name = _with_extras(design)
    name = f"Fleet: {name}" if design.shape_id == "fleet" else upper(name)
    return f"{name} on {some(design.layout.gpus_used, 'GPU')}"


def shape_name(design: Design) -> str:
    """The shape inside a sentence, as in 'sharded data parallel'."""
    if design.shape_id == "does_not_fit":
        return "no layout that fits"
    if design.shape_id == "single_gpu":
        return "one GPU"
    name = _with_extras(design)
    return f"a fleet ({name})" if design.shape_id == "fleet" else name


def _with_extras(design: Design) -> str:
    name = _splits(design)
    extra = [word for word, size in (("context", design.layout.context), ("expert", design.layout.expert)) if size > 1]
    if not extra:
        return name or "one replica"
    also = f"{' and '.join(extra)} parallel"
    return f"{name} with {also}" if name else also


def _splits(design: Design) -> str:
    layout = design.layout
    if layout.tensor > 1 and layout.pipeline > 1:
        return "full 3D" if layout.data > 1 else "tensor + pipeline"
    if layout.pipeline > 1:
        return "pipeline + data parallel" if layout.data > 1 else "pipeline parallel"
    if layout.tensor > 1:
        return "tensor + data parallel" if layout.data > 1 else "tensor parallel"
    if layout.zero_stage:
        return "sharded data parallel"
    return "data parallel" if layout.data > 1 else ""


def _reasons(design: Design) -> list[str]:
    """What the state asks for, how it is cut, and what the rest of the GPUs are for."""
    reasons = [_state_reason(design)]
    if design.layout.gpus_used > 1:
        reasons.append(_cut_reason(design))
    if design.shape_id == "fleet":
        stops = design.reliability
        reasons.append(
            f"At one stop every {span(3600 * stops.hours_between_stops)}, "
            f"checkpoints and recovery keep goodput at {share(stops.goodput)}."
        )
    elif design.layout.data > 1:
        reasons.append(_data_reason(design))
    return reasons


def _state_reason(design: Design) -> str:
    memory = design.memory
    model = f"{count(design.workload.params)} parameters make {size(memory.state_bytes)} of training state"
    gpu = f"{sold(memory.capacity_bytes)} GPU"
    if memory.state_bytes > memory.usable_bytes:
        return f"{model}: at least {some(memory.gpus_for_state, 'GPU')} of {sold(memory.capacity_bytes)} for it alone."
    if design.layout.gpus_used == 1 or state_on_gpu(design) >= 0.99 * memory.state_bytes:
        return f"{model}: it fits one {gpu} whole."
    if needs_cut(design):
        return f"{model}: one {gpu} could hold it, but not with activations and buffers too."
    return f"{model}, which one {gpu} could hold."


def needs_cut(design: Design) -> bool:
    """Whether whole state beside this design's activations and buffers would overflow a GPU."""
    memory = design.memory
    return memory.state_bytes + memory.activations_bytes + memory.overhead_bytes > memory.usable_bytes


def _cut_reason(design: Design) -> str:
    layout = design.layout
    cuts = [f"{name} {n}" for name, n in (("tensor", layout.tensor), ("pipeline", layout.pipeline)) if n > 1]
    if layout.zero_stage and layout.data * layout.context > 1:
        cuts.append(f"ZeRO {layout.zero_stage} over {grouped(layout.data * layout.context)}")
    state, total = size(state_on_gpu(design)), size(design.memory.total_bytes)
    if not cuts:
        return f"Each GPU keeps {state} of state, {total} with activations and buffers."
    return f"{upper(' × '.join(cuts))} leaves {state} of state on a GPU, {total} with activations and buffers."


def _data_reason(design: Design) -> str:
    layout = design.layout
    if one_replica(design) == 1:
        return f"All {some(layout.data, 'GPU')} share the batch: that is speed, and no layer has to be split."
    return f"The remaining factor, {some(layout.data, 'replica')}, shares the batch: that is speed."


def _over(design: Design) -> list[StageMemory]:
    return [stage for stage in design.memory.stages if stage.total_bytes > design.memory.usable_bytes]


def excess_bytes(design: Design) -> float:
    """What the fullest GPU would hold too much. [bytes]"""
    return design.memory.total_bytes - design.memory.usable_bytes


def _excess_title(design: Design) -> str:
    memory, over = design.memory, _over(design)
    if not over:
        asked, there = some(design.layout.gpus_used, "GPU"), design.workload.gpus
        return f"Does not fit: the layout asks for {asked}, there {'is' if there == 1 else 'are'} {grouped(there)}"
    if design.layout.gpus_used == 1:
        where = "one GPU"
    elif len(over) == len(memory.stages):
        where = "every GPU"
    else:
        where = f"the GPUs of stage {memory.fullest_stage + 1}"
    alike = min(s.total_bytes for s in memory.stages) > 0.995 * memory.total_bytes
    most = "" if alike or where != "every GPU" else "up to "
    return f"Does not fit: {most}{size(excess_bytes(design))} too much on {where}"


def fullest_part(design: Design) -> tuple[str, float]:
    """The largest part of the fullest GPU's memory: its word and its bytes."""
    field = max(PARTS, key=lambda f: getattr(design.memory, f))
    return PARTS[field], getattr(design.memory, field)


def _excess_reasons(design: Design) -> list[str]:
    memory = design.memory
    if not _over(design):
        return ["The sizes fixed by hand multiply to more GPUs than there are."]
    part, part_bytes = fullest_part(design)
    stage = f"Stage {memory.fullest_stage + 1} of {len(memory.stages)}" if len(memory.stages) > 1 else "The fullest GPU"
    reasons = [
        f"{stage} would hold {size(memory.total_bytes)}, {percent(part_bytes / memory.total_bytes)} % of it "
        f"{part} ({size(part_bytes)}); a GPU has {size(memory.usable_bytes)} usable."
    ]
    if part_bytes > memory.usable_bytes:
        reasons.append(f"The {part} alone {'are' if part.endswith('s') else 'is'} more than a GPU holds.")
    state = state_on_gpu(design)
    if part != "activations" and state > memory.usable_bytes:
        reasons.append(f"State takes {size(state)} of every such GPU before the first activation.")
    return reasons
