"""Words that all texts share: numbers with their units, plurals, factors, pairs of before and now."""

from app.model.design import Design
from app.model.units import bytes_text, grouped, percent, power, scaled, seconds_text, significant

NBSP = "\u00a0"
ARROW = " → "
_PARTS = {2: "half", 3: "a third", 4: "a quarter", 5: "a fifth", 6: "a sixth", 8: "an eighth", 10: "a tenth"}
_COUNTS = {3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 10: "ten"}
_TIMES = {2: "twice", **{n: f"{word} times" for n, word in _COUNTS.items()}}


def joined(pair: tuple[str, str]) -> str:
    """Number and unit that stay on one line.

    >>> joined(("62.1", "GB")) == "62.1\u00a0GB"
    True
    """
    return f"{pair[0]}{NBSP}{pair[1]}".strip()


def size(value: float) -> str:
    """Bytes, as in '62.1 GB'."""
    return joined(bytes_text(value))


def sold(value: float) -> str:
    """A memory size as it is sold, as in '80 GB'."""
    number, unit = bytes_text(value)
    return joined((number.removesuffix(".0"), unit))


def round_share(fraction: float) -> str:
    """A round share in percent, as in '10 %'."""
    return joined((percent(fraction).removesuffix(".0"), "%"))


def share(fraction: float) -> str:
    """A fraction in percent, as in '11.7 %'; what is too small to matter is said so."""
    if 0 < fraction < 0.0005:
        return joined(("under 0.05", "%"))
    return joined((percent(fraction), "%"))


def part(fraction: float) -> str:
    """A fraction in percent without its sign, as in '11.7'; nothing below a millionth is told apart."""
    return "under 0.0001" if 0 < fraction < 1e-6 else percent(fraction)


def span(seconds: float) -> str:
    """A duration, as in '6.15 s', '3.09 h' or '76.0 days'."""
    return joined(span_pair(seconds))


def interval(minutes: float) -> str:
    """Minutes between checkpoints, kept in minutes below two hours."""
    return joined((significant(minutes), "min")) if 1 <= minutes < 120 else span(60 * minutes)


def set_span(minutes: float) -> str:
    """An interval that the user set, as in '30 min', without zeros after the point."""
    text, unit = span_pair(60 * minutes)
    return joined((text.rstrip("0").rstrip(".") if "." in text else text, unit))


def span_pair(seconds: float) -> tuple[str, str]:
    """A duration as number and unit; what is shorter than a microsecond counts as none."""
    return seconds_text(seconds) if seconds >= 1e-6 else ("0", "s")


def days(value: float) -> str:
    """Days as a person would say them, as in '76.0 days' or '3.06 h'."""
    return span(86_400 * value)


def rate(value: float) -> str:
    """Tokens a second, as in '2.73 M tokens/s'."""
    return joined(rate_pair(value))


def rate_pair(value: float) -> tuple[str, str]:
    """Tokens a second as number and unit."""
    number, letter = scaled(value)
    return number, f"{letter} tokens/s".strip()


def money(value: float) -> str:
    """Dollars, as in '$74.7 M'; less than a cent counts as none."""
    amount, letter = scaled(value if value >= 0.01 else 0.0)
    return joined((f"${amount}", letter))


def number(value: float) -> str:
    """Three digits, without a tail of zeros after the point for whole numbers."""
    if abs(value) >= 1e9:
        return power(value)
    if value == int(value) and abs(value) < 1e6:
        return grouped(value)
    return significant(value) if abs(value) >= 1e-6 or value == 0 else "next to no"


def some(amount: float, word: str, many: str = "") -> str:
    """A count with its noun, as in '1 replica' and '16 384 GPUs'.

    >>> some(1, "replica"), some(3, "replica"), some(2, "batch", "batches")
    ('1 replica', '3 replicas', '2 batches')
    """
    return f"{grouped(amount)} {word if amount == 1 else many or word + 's'}"


def listed(parts: list[str]) -> str:
    """Words joined by commas and a last 'and'.

    >>> listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"])
    ('a', 'a and b', 'a, b and c')
    """
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def upper(text: str) -> str:
    """The text with a capital first letter, the rest untouched."""
    return text[:1].upper() + text[1:]


def whole(ratio: float) -> int:
    """The whole number that a ratio is within 1 % of, else 0."""
    near = round(ratio)
    return near if near and abs(ratio / near - 1) < 0.01 else 0


def times(ratio: float) -> str:
    """A factor before a noun.

    >>> times(2.0), times(0.5), times(1 / 3), times(1.5), times(0.4)
    ('twice the', 'half the', 'a third of the', '1.50 times the', '0.400 times the')
    """
    if ratio >= 1:
        return f"{_TIMES.get(whole(ratio), f'{number(whole(ratio) or ratio)} times')} the"
    part = _PARTS.get(whole(1 / ratio))
    if part is None:
        return f"{number(ratio)} times the"
    return "half the" if part == "half" else f"{part} of the"


def round_factor(ratio: float) -> bool:
    """Whether a factor has a word of its own, such as twice or a third."""
    return whole(ratio) in _TIMES or whole(1 / ratio) in _PARTS


def pair(before: tuple[str, str], now: tuple[str, str]) -> str:
    """Before and now, the unit named once where it is the same.

    >>> pair(("123", "days"), ("66.2", "days")) == "123 → 66.2\u00a0days"
    True
    """
    if before[1] == now[1]:
        return f"{before[0]}{ARROW}{joined(now)}"
    return f"{joined(before)}{ARROW}{joined(now)}"


def days_pair(before: float, now: float) -> str:
    """Days before and now, as in '123 → 66.2 days'."""
    return pair(span_pair(86_400 * before), span_pair(86_400 * now))


def bytes_pair(before: float, now: float) -> str:
    """Bytes before and now, as in '62.1 → 70.4 GB'."""
    return pair(bytes_text(before), bytes_text(now))


def share_pair(before: float, now: float) -> str:
    """Shares before and now, as in '44.1 → 41.0 %'."""
    return pair((part(before), "%"), (part(now), "%"))


def moved(before: float, now: float, by: float = 0.005) -> bool:
    """Whether a number moved by more than that share of itself."""
    return abs(now - before) > by * max(abs(before), abs(now))


def sequences(design: Design) -> int:
    """Whole sequences of one step. [-]"""
    return max(1, round(design.workload.batch_tokens / design.workload.seq_tokens))


def step_tokens(design: Design) -> float:
    """Tokens of one step after rounding to whole sequences. [tokens]"""
    return sequences(design) * design.workload.seq_tokens


def state_on_gpu(design: Design) -> float:
    """Weights, gradients and optimizer of the fullest GPU. [bytes]"""
    m = design.memory
    return m.weights_bytes + m.gradients_bytes + m.optimizer_bytes


def one_replica(design: Design) -> int:
    """GPUs that hold one replica: tensor × pipeline × context. [-]"""
    layout = design.layout
    return layout.tensor * layout.pipeline * layout.context


def nodes(design: Design) -> int:
    """Nodes that the used GPUs fill, the last one perhaps in part. [-]"""
    return -(-design.layout.gpus_used // (design.workload.gpus_per_node or 1))


def stops_in_run(design: Design) -> float:
    """Unexpected stops from start to end, stops included in the time. [-]"""
    return design.reliability.stops_per_day * design.run.wall_days


def minutes_lost(design: Design) -> tuple[float, float]:
    """Minutes of repeated work and of restarting that each stop costs. [min]"""
    per_stop = 1440 / design.reliability.stops_per_day
    return design.reliability.repeated_fraction * per_stop, design.reliability.restart_fraction * per_stop
