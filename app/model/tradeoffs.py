"""Six decisions: what this design chose, what that costs, and what another choice would bring."""

from app.model.answer import Tradeoff
from app.model.collectives import Links, allreduce_bytes, bus_bytes_per_s
from app.model.design import Alternative, Candidate, Design
from app.model.path import EXCHANGES, exchange_seconds, exposed_seconds
from app.model.phrases import (
    interval,
    listed,
    moved,
    nodes,
    number,
    one_replica,
    rate,
    set_span,
    share,
    size,
    some,
    span,
    step_tokens,
    upper,
)
from app.model.reliability import goodput
from app.model.units import grouped

NEAR_BEST = 1.25
"""An interval within this factor of the best one counts as the best."""


def tradeoffs(design: Design, alternative: Alternative) -> tuple[Tradeoff, ...]:
    """The six decisions. `alternative` is asked three times: a split, a ZeRO stage, a recompute level."""
    return (
        Tradeoff("parallelism", "Parallelism strategy", *_parallelism(design, alternative)),
        Tradeoff("gradient_sync", "Gradient sync / collectives", *_gradient_sync(design, alternative)),
        Tradeoff("activation_memory", "Activation memory", *_activation_memory(design, alternative)),
        Tradeoff("checkpoint_recovery", "Checkpoint + fault tolerance", *_checkpoint(design)),
        Tradeoff("data_throughput", "Data pipeline throughput", *_data(design)),
        Tradeoff("topology", "Interconnect topology", *_topology(design)),
    )


def split_words(design: Design) -> str:
    """The sizes above 1, as in 'tensor 8 × pipeline 16'; empty without a split."""
    layout = design.layout
    sizes = (("tensor", layout.tensor), ("pipeline", layout.pipeline), ("context", layout.context))
    return " × ".join(f"{name} {n}" for name, n in sizes if n > 1)


def _outcome(design: Design, other: Candidate | None) -> str:
    """How an alternative compares: its step and memory, or why there is none."""
    if other is None:
        return "no such layout is legal here"
    if not other.fits:
        return f"{size(other.memory_bytes)} of {size(design.memory.usable_bytes)} a GPU: too much"
    step = f"{span(other.step_seconds)} a step"
    if moved(design.step.seconds, other.step_seconds):
        step += f", not {span(design.step.seconds)}"
    return f"{step}; {size(other.memory_bytes)} a GPU"


def _parallelism(design: Design, alternative: Alternative) -> tuple[str, str, str]:
    step, replica = design.step, one_replica(design)
    split = split_words(design)
    if not split:
        copies = design.layout.data
        holders = "one GPU holds it" if copies == 1 else f"{some(copies, 'replica')} of one GPU each"
        chose = f"No split of the model: {holders}"
        paid = _state_price(design)
        other = alternative(tensor=min(8, design.workload.gpus_per_node)) if design.workload.split_model else None
        instead = _unsplit_instead(design, other)
        return chose, paid, instead
    chose = f"{upper(split)}: one replica spans {some(replica, 'GPU')}"
    split_exchange = step.tensor_exposed_seconds + step.context_exposed_seconds + step.pipeline_exposed_seconds
    parts = [f"{span(split_exchange)} of exchange in sight"]
    if design.layout.pipeline > 1:
        parts.insert(0, f"{span(step.bubble_seconds)} of bubble")
    paid = f"{listed(parts)} in each {span(step.seconds)} step"
    return chose, paid, f"No split at all: {_outcome(design, alternative(tensor=1, pipeline=1, context=1))}"


def _state_price(design: Design) -> str:
    if design.layout.data == 1:
        return "Nothing: no GPU waits for another"
    if design.layout.zero_stage:
        return f"{size(design.step.communication_bytes.data_parallel)} a GPU and step to share one state"
    return f"The whole state, {size(design.memory.state_bytes)}, on every GPU"


def _unsplit_instead(design: Design, other: Candidate | None) -> str:
    if not design.workload.split_model:
        return "Splitting is switched off"
    if other is None and design.workload.gpus == 1:
        return "Tensor parallelism needs more GPUs than there are"
    if other is None:
        return "No tensor split of that size is legal here"
    return f"Tensor {other.layout.tensor}: {_outcome(design, other)}"


def _gradient_sync(design: Design, alternative: Alternative) -> tuple[str, str, str]:
    layout, step = design.layout, design.step
    if layout.data * layout.context == 1:
        gradients = design.memory.gradients_bytes
        chose = "No sync: one replica"
        other = f"A second replica would send {size(float(allreduce_bytes(gradients, 2)))} a GPU and step"
        return chose, "Nothing: no gradients cross a link", other
    often = "once a step" if layout.microbatches == 1 else f"in each of {grouped(layout.microbatches)} micro-batches"
    chose = (
        "Plain all-reduce of gradients once a step",
        "ZeRO 1: reduce-scatter and all-gather once a step",
        f"ZeRO 2: gradients scattered {often}",
        f"ZeRO 3: weights gathered forward and backward {often}",
    )[layout.zero_stage]
    seconds, shown = step.communication_seconds.data_parallel, step.data_parallel_exposed_seconds
    sent = size(step.communication_bytes.data_parallel)
    paid = f"{sent} a GPU and step: {span(seconds)}, {span(shown)} of it in sight"
    stage = 3 if layout.zero_stage in (0, 1) else 1
    return chose, paid, f"ZeRO {stage}: {_outcome(design, alternative(zero_stage=stage))}"


def _activation_memory(design: Design, alternative: Alternative) -> tuple[str, str, str]:
    level = design.layout.recompute
    kept = f"{size(design.memory.activations_bytes)} on the fullest GPU"
    name = {"none": "Everything kept", "selective": "Selective recompute", "full": "Full recompute"}
    more = design.run.hfu / design.run.mfu - 1
    paid = f"{share(more)} more arithmetic" if more > 0 else "No arithmetic is done twice"
    other = "full" if level == "none" else "none"
    if design.workload.recompute != "auto":
        return f"{name[level]}: {kept}", paid, f"{name[other]} is ruled out: the switch says {level}"
    return f"{name[level]}: {kept}", paid, f"{name[other]}: {_outcome(design, alternative(recompute=other))}"


def _checkpoint(design: Design) -> tuple[str, str, str]:
    stops, asked = design.reliability, design.workload
    chose = f"{size(stops.checkpoint_bytes)} every {set_span(asked.checkpoint_minutes)}"
    paid = (
        f"{share(stops.repeated_fraction)} repeated, {share(stops.restart_fraction)} restarting, "
        f"{share(stops.stall_fraction)} writing"
    )
    best = stops.optimal_checkpoint_minutes
    ratio = asked.checkpoint_minutes / best if best > 0 else 1.0
    if asked.checkpoint_async or 1 / NEAR_BEST < ratio < NEAR_BEST:
        best = asked.checkpoint_minutes / 2
    if best <= 0:
        return chose, paid, "Nothing is gained by another interval"
    write = 0.0 if asked.checkpoint_async else stops.checkpoint_write_seconds
    other = goodput(60 * best, write, 3600 * stops.hours_between_stops, 60 * asked.restart_minutes)
    writes = asked.checkpoint_minutes / best
    many = f"{number(writes)} times the writes" if writes > 1 else f"{number(1 / writes)} times fewer writes"
    instead = f"Every {interval(best)}: goodput {share(other)}, not {share(stops.goodput)}; {many}"
    return chose, paid, instead


def _data(design: Design) -> tuple[str, str, str]:
    data, step = design.data, design.step
    ratio = data.supplied_tokens_per_s / data.needed_tokens_per_s
    chose = f"{rate(data.supplied_tokens_per_s)}, {number(ratio)} times the need"
    if step.loader_wait_seconds > 0:
        wait = step.loader_wait_seconds
        paid = f"Each step waits {span(wait)}, {share(wait / step.seconds)} of it"
        return chose, paid, f"{rate(data.needed_tokens_per_s)} would end the wait: {span(step.seconds - wait)} a step"
    paid = f"{share(1 - 1 / ratio)} of the supply stands idle"
    half = data.supplied_tokens_per_s / 2
    late = step_tokens(design) / half - step.seconds
    effect = f"each step waits {span(late)}" if late > 0 else "still no wait"
    return chose, paid, f"{rate(half)}: {effect}"


def crossing(design: Design) -> list[str]:
    """Kinds of exchange whose groups reach past one node."""
    layout, node = design.layout, design.workload.gpus_per_node or 1
    reach = {
        "tensor": layout.tensor,
        "context": layout.tensor * layout.context,
        "expert": layout.tensor * layout.context * layout.expert,
        "pipeline": layout.gpus_used if layout.pipeline > 1 else 1,
        "data_parallel": layout.tensor * layout.context * layout.data,
    }
    used = exchange_seconds(design)
    return [kind for kind in EXCHANGES if kind in used and reach[kind] > node]


_GROUPS = {
    "tensor": "tensor groups",
    "context": "context groups",
    "expert": "experts",
    "pipeline": "stages",
    "data_parallel": "replicas",
}


def _topology(design: Design) -> tuple[str, str, str]:
    used = list(exchange_seconds(design))
    fast, slow = design.accelerator.link_bytes_per_s, design.workload.link_gb_per_s * 1e9
    if not used:
        node = some(design.workload.gpus_per_node, "GPU")
        return "One GPU: no link is used", "Nothing", f"A node would join {node} at {size(fast)}/s"
    across = crossing(design)
    inside = [kind for kind in EXCHANGES if kind in used and kind not in across]
    where = []
    if inside:
        where.append(f"{listed([_GROUPS[k] for k in inside])} inside a node")
    if across:
        where.append(f"{listed([_GROUPS[k] for k in across])} across {some(nodes(design), 'node')}")
    if not across:
        paid = f"{span(exposed_seconds(design))} of exchange in sight, all at {size(fast)}/s"
    else:
        sent = sum(getattr(design.step.communication_bytes, kind) for kind in across)
        paid = f"{size(sent)} a GPU and step over {size(slow)}/s"
    return upper(", ".join(where)), paid, _spread_tensor(design, fast, slow)


def _spread_tensor(design: Design, fast: float, slow: float) -> str:
    """Tensor groups with one member a node beside groups inside one: how much longer an exchange takes."""
    node = design.workload.gpus_per_node or 1
    if node == 1:
        return "With one GPU a node there is no fast link to use"
    links = Links(fast, slow, node)
    near, far = (float(bus_bytes_per_s(links, node, inner)) for inner in (1, node))
    longer = number(round(near / far, 2))
    return f"Tensor groups of {grouped(node)} spread over nodes: {longer} times as long for every exchange"
