"""Five loads: how near each resource of a design is to its end."""

from app.model.answer import Bottleneck, Data, Figure, Memory, Reliability, Step
from app.model.units import bytes_text, percent, scaled, seconds_text, significant

TIGHT, OVER = 0.7, 1.0
"""Teaching assumptions: where a load is called tight, and over."""
ALLOWED_LOSS = 0.10
"""Teaching assumption: the share of wall time that stops may cost."""
MOST = 10.0
"""A load without room left is shown as this."""

LABELS = {
    "memory": "Per-GPU memory pressure",
    "collectives": "Collective comms load",
    "data_pipeline": "Data pipeline load",
    "activations": "Activation memory",
    "failures": "Checkpoint / failure exposure",
}


def status(load: float) -> str:
    """The word for a load.

    >>> status(0.69), status(0.7), status(1.0)
    ('ok', 'tight', 'over')
    """
    return "ok" if load < TIGHT else "tight" if load < OVER else "over"


def communication_seconds(step: Step) -> float:
    """All exchanges of one step, hidden or not. [s]"""
    c = step.communication_seconds
    return c.tensor + c.context + c.expert + c.pipeline + c.data_parallel


def bottlenecks(memory: Memory, step: Step, data: Data, reliability: Reliability) -> tuple[Bottleneck, ...]:
    """The five loads of one design, each with what it is made of."""
    exchange = communication_seconds(step)
    room = memory.usable_bytes - memory.weights_bytes - memory.gradients_bytes - memory.optimizer_bytes
    lost = 1 - reliability.goodput
    return (
        _bar("memory", memory.total_bytes / memory.usable_bytes, _of(memory.total_bytes, memory.usable_bytes)),
        _bar("collectives", exchange / step.compute_seconds, _beside(exchange, step.compute_seconds)),
        _bar("data_pipeline", data.needed_tokens_per_s / data.supplied_tokens_per_s, _supply(data)),
        _bar(
            "activations",
            memory.activations_bytes / room if room > 0 else MOST,
            f"{_size(memory.activations_bytes)} of {_size(room)} left by state" if room > 0 else "state leaves no room",
        ),
        _bar("failures", lost / ALLOWED_LOSS, f"{percent(lost)} % of time lost, of {percent(ALLOWED_LOSS)} % allowed"),
    )  # fmt: skip


def _bar(id: str, load: float, note: str) -> Bottleneck:
    load = min(load, MOST)
    figure = Figure(f"bottlenecks.{id}.load", load, significant(100 * load, 3 if load >= 1 else 2), "%", note)
    return Bottleneck(id, LABELS[id], load, status(load), figure)


def _of(part: float, whole: float) -> str:
    return f"{_size(part)} of {_size(whole)} usable, fullest GPU"


def _beside(exchange: float, compute: float) -> str:
    return f"{_time(exchange)} beside {_time(compute)} of compute"


def _size(value: float) -> str:
    return " ".join(bytes_text(value))


def _time(value: float) -> str:
    return " ".join(seconds_text(value))


def _supply(data: Data) -> str:
    needed, letter = scaled(data.needed_tokens_per_s)
    supplied, other = scaled(data.supplied_tokens_per_s)
    return f"{needed} {letter} of {supplied} {other} tokens/s".replace("  ", " ")
