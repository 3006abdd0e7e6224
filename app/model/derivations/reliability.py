"""Stops, what they cost, and checkpoints."""

from app.model.derivations.facts import Facts
from app.model.derivations.record import Derivation, Reading, Term, derived, engine, setting, source, verified
from app.model.reliability import checkpoint_bytes

DALY = ("daly06", "")
AT_RANDOM = "Stops come at random times, and strike while writing and restarting too."


def _mean(facts: Facts) -> Term:
    hours = facts.design.reliability.hours_between_stops
    return engine("M", "seconds between stops", 3600 * hours, "s", "reliability.hours_between_stops")


def _rate(facts: Facts) -> Term:
    meaning, value = "GPU-hours between stops", facts.design.workload.mtbf_gpu_hours
    if value == type(facts.design.workload).model_fields["mtbf_gpu_hours"].default:
        return verified("H", meaning, value, "GPU-h", "llama3", "section 3.3.4: 419 stops of 16 384 GPUs in 54 days")
    return setting("H", meaning, value, "GPU-h")


def _interval(facts: Facts) -> Term:
    return setting("τ", "seconds of training between checkpoints", 60 * facts.design.workload.checkpoint_minutes, "s")


def _write(facts: Facts) -> Term:
    """What training waits while a checkpoint is written."""
    if facts.design.workload.checkpoint_async:
        return setting("δ", "seconds that saving holds training up", 0, "s", "saved behind the training")
    seconds = facts.design.reliability.checkpoint_write_seconds
    return engine("δ", "seconds to write a checkpoint", seconds, "s", "reliability.checkpoint_write_seconds")


def _restart(facts: Facts) -> Term:
    return setting("R", "seconds to restart", 60 * facts.design.workload.restart_minutes, "s")


def _spent(facts: Facts) -> tuple[Term, ...]:
    return _interval(facts), _write(facts), _mean(facts), _restart(facts)


def stops(facts: Facts) -> Derivation:
    day = Term("24", "hours in a day", 24, "h", "verified", "a day")
    return derived(
        "reliability.stops_per_day", "Stops a day: more GPUs, more stops", "n", "24*G / H", "per day",
        day, facts.gpus(), _rate(facts),
        limits=("GPUs fail independently of each other.", "Small jobs stop more often (Kokolis 2024)."),
        cites=("llama3", "section 3.3.4"),
    )  # fmt: skip


def hours_between(facts: Facts) -> Derivation:
    return derived(
        "reliability.hours_between_stops", "Hours between two stops of the whole mesh", "M", "H / G", "h",
        _rate(facts), facts.gpus(), limits=("GPUs fail independently of each other.",),
    )  # fmt: skip


def lost(facts: Facts) -> Derivation:
    half = Term("2", "on average a stop falls in the middle of an interval", 2, "", "verified", "a mean")
    rule = Reading(
        "rule", "half an interval", "min(1, τ / (2*M))", (half, _interval(facts), _mean(facts)), "share",
        note="The rule for the blackboard: each stop repeats half an interval.",
    )  # fmt: skip
    exact = Reading(
        "exact", "exact", REPEATED, _spent(facts), "share", note="What is repeated, with stops while repeating too."
    )
    return Derivation(
        "reliability.lost_fraction", "Work repeated after stops, by the rule of half an interval", "l", (rule, exact),
        ("Holds while τ is well below M; past τ ÷ M = 0.2 the two part ways.",), source("young74", "pages 530 to 531"),
        "Rule or exact",
    )  # fmt: skip


REPEATED = "exp(-R/M) * (1 - (τ + δ)/M / expm1((τ + δ)/M))"


def goodput(facts: Facts) -> Derivation:
    return derived(
        "reliability.goodput", "Goodput: the share of time that is new training", "g",
        "τ / (exp(R/M) * M * expm1((τ + δ)/M))", "share", *_spent(facts), limits=(AT_RANDOM,), cites=DALY,
    )  # fmt: skip


def repeated(facts: Facts) -> Derivation:
    return derived(
        "reliability.repeated_fraction", "Time spent on work that is repeated", "r", REPEATED, "share", *_spent(facts),
        limits=(AT_RANDOM, "With goodput, writing and restarting it adds up to 1."), cites=DALY,
    )  # fmt: skip


def stall(facts: Facts) -> Derivation:
    return derived(
        "reliability.stall_fraction", "Time spent on writing checkpoints", "w",
        "δ / (exp(R/M) * M * expm1((τ + δ)/M))", "share", *_spent(facts), limits=(AT_RANDOM,), cites=DALY,
    )  # fmt: skip


def restart(facts: Facts) -> Derivation:
    terms = (_restart(facts), _mean(facts))
    return derived(
        "reliability.restart_fraction", "Time spent on restarting", "a", "1 - exp(-R/M)", "share", *terms,
        limits=(AT_RANDOM,), cites=DALY,
    )  # fmt: skip


def best_interval(facts: Facts) -> Derivation:
    return _best(facts, "reliability.optimal_checkpoint_minutes", "daly")


def young(facts: Facts) -> Derivation:
    return _best(facts, "reliability.young_checkpoint_minutes", "young")


def _best(facts: Facts, id: str, first: str) -> Derivation:
    write = facts.design.reliability.checkpoint_write_seconds
    seconds = engine("δ", "seconds to write a checkpoint", write, "s", "reliability.checkpoint_write_seconds")
    minute = Term("60", "seconds in a minute", 60, "s", "verified", "a minute")
    terms = (seconds, _mean(facts), minute)
    long = "(sqrt(2*δ*M) * (1 + sqrt(δ/(2*M))/3 + δ/(2*M)/9) - δ) / 60"
    rarely = write < 2 * terms[1].value
    daly = Reading("daly", "Daly, higher order", long if rarely else "M / 60", terms if rarely else terms[1:], "min")
    rule = Reading("young", "Young, first order", "sqrt(2*δ*M) / 60", terms, "min")
    readings = tuple(sorted((daly, rule), key=lambda r: r.id != first))
    return Derivation(
        id, "The checkpoint interval that loses least", "τ", readings,
        ("Young's rule holds while δ is well below M; Daly's while δ is below 2·M, then it is M.",),
        source(*(("daly06", "equation 37") if first == "daly" else ("young74", "pages 530 to 531"))), "Which rule",
    )  # fmt: skip


def size(facts: Facts) -> Derivation:
    workload, each = facts.design.workload, facts.each
    kept = workload.bytes_per_param - each.gradients - 2
    assert checkpoint_bytes(1, 1, workload.bytes_per_param, each.gradients) == 2 + kept
    terms = (
        verified("2", "bytes of a weight", 2, "bytes", "zero", "section 3.1"),
        facts.params(),
        verified("o", _kept(kept), kept, "bytes", "zero", "section 3.1"),
    )
    more = () if facts.trained == 1 else (setting("N_t", "parameters that are trained", workload.trained_params),)
    formula = "(2 + o)*N" if facts.trained == 1 else "2*N + o*N_t"
    return derived(
        "reliability.checkpoint_bytes", "A full checkpoint: weights and optimizer, no gradients", "C", formula, "bytes",
        *terms, *more, limits=("Weights alone, as published models are, take 2 bytes each.",),
        cites=("narayanan21", "section 5.10: 13.8 TB for one trillion parameters"),
    )  # fmt: skip


def _kept(each: float) -> str:
    return "bytes of optimizer: copy 4, momentum 4, variance 4" if each == 12 else "bytes of optimizer and copy"


def write_seconds(facts: Facts) -> Derivation:
    stops, workload = facts.design.reliability, facts.design.workload
    store = setting("B", "checkpoint store, whole mesh", 1e9 * workload.checkpoint_gb_per_s, "bytes/s")
    return derived(
        "reliability.checkpoint_write_seconds", "Time to write a checkpoint", "δ", "C / B", "s",
        engine("C", "bytes of a checkpoint", stops.checkpoint_bytes, "bytes", "reliability.checkpoint_bytes"), store,
        limits=("All GPUs write at once, at the store's full rate.",),
        cites=("narayanan21", "section 5.10: 273 GB/s of 3072 GPUs"),
    )  # fmt: skip


FIGURES = {
    "reliability.stops_per_day": stops,
    "reliability.hours_between_stops": hours_between,
    "reliability.lost_fraction": lost,
    "reliability.goodput": goodput,
    "reliability.repeated_fraction": repeated,
    "reliability.stall_fraction": stall,
    "reliability.restart_fraction": restart,
    "reliability.optimal_checkpoint_minutes": best_interval,
    "reliability.young_checkpoint_minutes": young,
    "reliability.checkpoint_bytes": size,
    "reliability.checkpoint_write_seconds": write_seconds,
}
