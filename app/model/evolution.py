"""Why a design is as it is, and why it changed."""

from app.model.answer import Why
from app.model.causes import binds, binds_alone, cause, cause_alone
from app.model.changes import change_rows, lead
from app.model.design import Design
from app.model.phrases import one_replica, size, sold, state_on_gpu
from app.model.shapes import fullest_part, needs_cut, shape
from app.model.units import significant

__all__ = ["shape", "why"]


def why(design: Design, before: Design | None) -> tuple[Why, ...]:
    """What moved and what that did; without `before`, why the design is as it is."""
    if before is None or before.workload == design.workload:
        return (Why("lead", _verdict(design)), Why("cause", cause_alone(design)), Why("binds", binds_alone(design)))
    return (
        Why("lead", lead(design, before)),
        Why("cause", cause(design, before)),
        Why("binds", binds(design, before)),
        *change_rows(design, before),
    )


def _verdict(design: Design) -> str:
    """One sentence: what forced this shape."""
    memory, layout = design.memory, design.layout
    if not memory.fits:
        part, part_bytes = fullest_part(design)
        verb = "want" if part.endswith("s") else "wants"
        return f"Nothing fits: {part} {verb} {size(part_bytes)} of a GPU sold as {sold(memory.capacity_bytes)}."
    if layout.gpus_used == 1:
        return "One GPU holds it all: nothing forces a split."
    if memory.state_bytes > memory.usable_bytes:
        ratio = significant(memory.state_bytes / memory.usable_bytes, 2)
        return f"State is {ratio} times what one GPU holds: memory forces the split."
    if state_on_gpu(design) >= 0.99 * memory.state_bytes:
        return "The model fits one GPU whole: the others only add speed."
    if needs_cut(design):
        return "State fits one GPU, but not beside activations: memory forces the split."
    if one_replica(design) == 1:
        return "Memory leaves room: sharding the state saves time, not space."
    return f"Splitting brings the fullest GPU to {size(memory.total_bytes)} of {size(memory.usable_bytes)} usable."
