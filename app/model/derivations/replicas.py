"""What replicas exchange: gradients summed, weights gathered, and what shows of it."""

from dataclasses import dataclass
from functools import cached_property

from app.model.calibration import TIME
from app.model.collectives import bus_bytes_per_s, gather_bytes
from app.model.derivations.facts import Facts
from app.model.derivations.record import Derivation, Term, derived, engine, verified
from app.model.derivations.seconds import FITTED
from app.model.derivations.traffic import behind, bytes_id, none, seconds_id, took
from app.model.exchanges import Traffic, between_groups, one_port, shard_group, start_seconds

KIND = "data_parallel"
ZERO = ("zero", "section 7")


@dataclass(frozen=True)
class Exchange:
    """The exchange of one design, number by number."""

    facts: Facts

    @cached_property
    def group(self) -> int:
        """GPUs that share the state."""
        return int(shard_group(self.facts.chip.stack, self.facts.x))

    @property
    def wire_bytes(self) -> float:
        """Of one parameter's gradient, frozen ones counted as none."""
        return self.facts.trained * (self.facts.chip.stack.gradient_bytes or min(self.facts.each.gradients, 4.0))

    @cached_property
    def moved_params(self) -> float:
        """Parameters whose values pass through one GPU in a gather or a reduction."""
        shared, experts = self.facts.end_params
        own = max(1, self.group // self.facts.x.expert)
        return float(gather_bytes(shared, self.group) + gather_bytes(experts, own))

    @cached_property
    def bus(self) -> float:
        links, x = self.facts.links, self.facts.x
        rate = bus_bytes_per_s if self.facts.chip.stack.rails else one_port
        return float(rate(links, self.group, x.tensor))

    @cached_property
    def start(self) -> float:
        facts = self.facts
        return float(start_seconds(facts.links, facts.x, facts.end_params, facts.layers, self.group))

    @property
    def gathers(self) -> int:
        return 2 * self.facts.x.microbatches if self.facts.x.zero_stage >= 3 else 1

    @property
    def reduces(self) -> int:
        return self.facts.x.microbatches if self.facts.x.zero_stage >= 2 else 1

    @cached_property
    def across(self) -> Traffic:
        shared, experts = self.facts.end_params
        x = self.facts.x
        gradients = self.wire_bytes * (shared + experts / x.expert)
        return between_groups(self.facts.chip.stack, self.facts.links, x, gradients, self.group)

    @property
    def turns(self) -> float:
        stack = self.facts.chip.stack
        return TIME["broadcast_seconds"] * self.group if stack.serial_broadcast and self.group > 1 else 0.0

    @property
    def gather_seconds(self) -> float:
        return self.facts.each.weights * self.moved_params / self.bus + self.start if self.group > 1 else 0.0

    @property
    def reduce_seconds(self) -> float:
        return self.wire_bytes * self.moved_params / self.bus + self.start if self.group > 1 else 0.0

    @cached_property
    def computing(self) -> tuple[float, float]:
        """Forward and backward seconds of the step."""
        layer, compute = self.facts.layer, self.facts.design.step.compute_seconds
        forward = compute * layer.forward / (layer.forward + layer.backward + layer.recomputed)
        return forward, compute - forward


def _counts(e: Exchange) -> tuple[Term, ...]:
    stage = e.facts.x.zero_stage
    gathered = "twice a micro-batch under ZeRO 3" if stage >= 3 else "once a step"
    reduced = "once a micro-batch under ZeRO 2 and 3" if stage >= 2 else "once a step"
    return (
        engine("k_w", f"gathers of weights, {gathered}", e.gathers),
        engine("k_g", f"reductions of gradients, {reduced}", e.reduces),
    )


def _per_param(e: Exchange) -> tuple[Term, ...]:
    what = "bytes of a gradient on the wire" if e.facts.trained == 1 else "bytes of gradient, over all parameters"
    return (
        verified("w", "bytes of a weight", e.facts.each.weights, "bytes", "zero", "section 3.1"),
        engine("g", what, e.wire_bytes, "bytes"),
    )


def _moved(e: Exchange) -> Term:
    note = f"(n − 1) ÷ n of those on a GPU of the fuller end, n = {e.group}"
    return engine("Q", "parameters that pass through a GPU", e.moved_params, "", note=note)


def sent_bytes(facts: Facts) -> Derivation:
    e = Exchange(facts)
    if facts.x.shards == 1:
        return none(bytes_id(KIND), KIND, "bytes")
    across = float(e.across.sent_bytes)
    more = (engine("r", "the sum over groups", across, "bytes"),) if across else ()
    return derived(
        bytes_id(KIND), "Data-parallel exchange: what each GPU sends in a step", "D",
        "Q * (k_w*w + k_g*g)" + (" + r" if across else ""), "bytes", _moved(e), *_counts(e), *_per_param(e), *more,
        limits=("A ring, or any other form that sends as little.",), cites=ZERO,
    )  # fmt: skip


def seconds(facts: Facts) -> Derivation:
    e = Exchange(facts)
    if facts.x.shards == 1:
        return none(seconds_id(KIND), KIND, "s")
    rest: tuple[Term, ...] = (
        engine("r", "the sum over groups", float(e.across.seconds), "s"),
        engine("y", "weights handed out in turn", e.turns, "s"),
    )
    rest = tuple(t for t in rest if t.value)
    formula = " + ".join(("k_w*(w*Q/B + u)", "k_g*(g*Q/B + u)", *(t.name for t in rest)))
    return derived(
        seconds_id(KIND), "Data-parallel exchange: seconds of a step", "x", formula if e.group > 1 else sum_names(rest),
        "s", *((*_counts(e), *_per_param(e), _moved(e), *_link(e)) if e.group > 1 else ()), *rest,
        limits=("No contention with other exchanges.",), cites=ZERO,
    )  # fmt: skip


def sum_names(terms: tuple[Term, ...]) -> str:
    return " + ".join(t.name for t in terms)


def _link(e: Exchange) -> tuple[Term, ...]:
    return (
        engine("B", "rate of the links that the group reaches", e.bus, "bytes/s", note=f"share of the link {FITTED}"),
        engine("u", "starts of one, layer by layer, with hops from node to node", e.start, "s", note="calibration"),
    )


def exposed(facts: Facts) -> Derivation:
    if facts.x.shards == 1:
        return none("step.data_parallel_exposed_seconds", KIND, "s")
    return _layered(facts) if facts.x.zero_stage >= 2 else _once(facts)


TITLE = "Data-parallel exchange in sight: what computing does not hide"


def _once(facts: Facts) -> Derivation:
    """Once a step: a share hides, at most behind half of the computing."""
    id, taken = "step.data_parallel_exposed_seconds", took(facts, KIND)
    share = engine("h", "share that hides behind computing", TIME["data_hidden"], "share", note=FITTED)
    compute = engine("c", "seconds of computing", facts.design.step.compute_seconds, "s", "step.compute_seconds")
    half = engine("2", "at most half of the computing hides it", 2)
    if not facts.chip.stack.data_overlap:
        return derived(id, TITLE, "x_s", "x", "s", taken, limits=("This stack hides nothing.",))
    return derived(id, TITLE, "x_s", "x - min(h*x, c/2)", "s", taken, share, compute, half, limits=("Once a step.",))


def _layered(facts: Facts) -> Derivation:
    """In every micro-batch, layer by layer, behind the computing of the layer before."""
    e = Exchange(facts)
    gathered = e.gathers * e.gather_seconds
    halved = gathered / 2 if facts.x.zero_stage >= 3 else gathered
    back = e.reduces * e.reduce_seconds + (halved if facts.x.zero_stage >= 3 else 0.0) + float(e.across.seconds)
    forward, backward = e.computing
    terms = (
        engine("x_f", "exchange while computing forward", halved, "s"),
        engine("x_b", "exchange while computing backward", back, "s"),
        engine("e", "share that shows even behind computing", TIME["fsdp_exposed"], "share", note=FITTED),
        *((engine("c_f", "computing forward", forward, "s"),) if halved > forward else ()),
        *((engine("c_b", "computing backward", backward, "s"),) if back > backward else ()),
    )
    formula = f"{behind('x_f', 'c_f', halved, forward)} + {behind('x_b', 'c_b', back, backward)}"
    limits = ("Layer by layer, behind the computing of the layer before; what takes longer than it shows whole.",)
    return derived(
        "step.data_parallel_exposed_seconds", TITLE, "x_s", formula, "s", *terms, limits=limits,
        cites=("fsdp", "section 3.3"),
    )  # fmt: skip


FIGURES = {
    "step.communication_bytes.data_parallel": sent_bytes,
    "step.communication_seconds.data_parallel": seconds,
    "step.data_parallel_exposed_seconds": exposed,
}
