"""Days, utilization, work and cost of the whole run."""

from app.model.derivations.facts import Facts
from app.model.derivations.record import (
    Derivation,
    Reading,
    Term,
    derived,
    engine,
    listed_value,
    setting,
    source,
    teaching,
    verified,
)
from app.model.sizing import LEAST_GOODPUT
from app.model.workload import TOKENS_PER_PARAM

ATTENTION = "12*L*q*S"
PALM = ("palm", "appendix B")
DAY = Term("86400", "seconds in a day", 86_400, "s", "verified", "24 × 60 × 60")
COUNTED = "What counts as useful"
"""The question in which definitions of useful work differ."""


def _twelve() -> Term:
    return verified("12", "attention: 4 forward, scores and weighted values, and 8 backward", 12, "FLOP", *PALM)


def _counted(facts: Facts, with_work: str, unit: str, *others: Term) -> tuple[Reading, ...]:
    """Useful work of one token three ways; `with_work` is the formula with its place marked W."""
    plain = (facts.six(), facts.active())
    whole = (*plain, _twelve(), facts.depth(), facts.query_width(), facts.sequence())
    half = (*whole, Term("2", "a causal mask leaves half of the square", 2, "", "verified", "a triangle"))
    ways = (
        ("whole", "+ attention, whole", f"(6*N + {ATTENTION})", whole, "As PaLM counts it, the commonest."),
        ("half", "+ attention, half", f"(6*N + {ATTENTION}/2)", half, "What the causal mask leaves."),
        ("alone", "6·N alone", "6*N", plain, "As the rule of thumb has it, without attention."),
    )
    return tuple(
        Reading(id, label, with_work.replace("W", work), (*terms, *others), unit, note=note)
        for id, label, work, terms, note in ways
    )


def mfu(facts: Facts) -> Derivation:
    others = (facts.tokens_of_step(), facts.seconds(), facts.gpus(), facts.peak())
    return Derivation(
        "run.mfu",
        "MFU: useful arithmetic ÷ what the GPUs could do",
        "MFU",
        _counted(facts, "W*T / (s*G*P)", "share", *others),
        (
            "The step stays the same; only the counting differs.",
            "Recomputed work never counts; with it the figure is hardware utilization, HFU.",
            "All GPUs are counted, the idle ones too.",
        ),
        source(*PALM),
        COUNTED,
    )


def hfu(facts: Facts) -> Derivation:
    recompute = facts.design.layout.recompute
    model = facts.design.model
    attention = (_twelve(), facts.depth(), facts.query_width(), facts.sequence())
    again, terms, note = {
        "none": ("", (), "Nothing is recomputed, so HFU equals MFU."),
        "selective": (
            f" + {ATTENTION}/3",
            (Term("3", "forward is one third of forward and backward", 3, "", "verified", "2 of 6 FLOP"),),
            "Selective recompute repeats the forward pass of attention.",
        ),
        "full": (
            f" + (6*N + {ATTENTION} - 6*E)/3",
            (
                Term("3", "forward is one third of forward and backward", 3, "", "verified", "2 of 6 FLOP"),
                engine("E", "weights of the token tables", model.embedding_params + model.head_params),
            ),
            "Full recompute repeats the forward pass of all layers; the tables stand outside them.",
        ),
    }[recompute]
    return derived(
        "run.hfu", "HFU: all arithmetic ÷ what the GPUs could do", "HFU",
        f"(6*N + {ATTENTION}{again})*T / (s*G*P)", "share",
        facts.six(), facts.active(), *attention, *terms,
        facts.tokens_of_step(), facts.seconds(), facts.gpus(), facts.peak(),
        limits=(note, "Attention counts whole, as in MFU."), cites=("palm", "section 4.1"),
    )  # fmt: skip


def tokens(facts: Facts) -> Derivation:
    workload, model = facts.design.workload, facts.design.model
    id, title = "run.tokens", "Tokens of the whole run"
    if workload.train_tokens == TOKENS_PER_PARAM * workload.params:
        twenty = verified("20", "tokens for each parameter", TOKENS_PER_PARAM, "", "chinchilla", "table 3")
        limits = ("What trains best for its compute; many train longer, for a model that is cheaper to serve.",)
        return derived(id, title, "D", "20*N", "tokens", twenty, facts.params(), limits=limits)
    if workload.model:
        given = listed_value("D", "training tokens", workload.train_tokens, "tokens", f"set, or as {model.name} was")
    else:
        given = setting("D", "training tokens", workload.train_tokens, "tokens")
    return derived(id, title, "D", "D", "tokens", given)


def _tokens(facts: Facts) -> Term:
    return engine("D", "tokens of the run", facts.design.run.tokens, "tokens", "run.tokens")


def flop(facts: Facts) -> Derivation:
    return derived(
        "run.flop", "Training FLOP: six for each weight and token", "C", "6*N*D", "FLOP",
        facts.six(), facts.active(), _tokens(facts),
        limits=("Leaves out attention scores, about S ÷ (6·h) of the whole.", "Nothing recomputed."),
        cites=("kaplan", "section 2.1"),
    )  # fmt: skip


def model_flop(facts: Facts) -> Derivation:
    return Derivation(
        "run.model_flop",
        "Useful FLOP of the run, attention included",
        "F",
        _counted(facts, "W*D", "FLOP", _tokens(facts)),
        ("Every layer attends over the whole sequence.",),
        source(*PALM),
        COUNTED,
    )


def days(facts: Facts) -> Derivation:
    workload = facts.design.workload
    id, title = "run.days", "Days without stops"
    if workload.mfu == "model":
        limits = ("Steps follow each other without a stop.", "The whole run at this one batch and sequence length.")
        return derived(
            id, f"{title}: steps × seconds of a step", "d", "D/T * s / 86400", "days",
            _tokens(facts), facts.tokens_of_step(), facts.seconds(), DAY, limits=limits,
        )  # fmt: skip
    planned = setting("u", "share of peak, as planned", float(workload.mfu), "share", "MFU in the drawer")
    return derived(
        id, f"{title}: work ÷ what the GPUs deliver", "d", "6*N*D / (G*P*u) / 86400", "days",
        facts.six(), facts.active(), _tokens(facts), facts.gpus(), facts.peak(), planned, DAY,
        limits=("The planned share stands for the engine's estimate; the step below it stays the engine's.",),
        cites=("kaplan", "section 2.1"),
    )  # fmt: skip


def wall_days(facts: Facts) -> Derivation:
    run, goodput = facts.design.run, facts.design.reliability.goodput
    share = engine("g", "goodput: share of time that is new training", goodput, "share", "reliability.goodput")
    if goodput < LEAST_GOODPUT:
        share = teaching("g", "least goodput, so that days stay finite", LEAST_GOODPUT, "share")
    return derived(
        "run.wall_days", "Days with stops: days of training ÷ the share that is training", "w", "d/g", "days",
        engine("d", "days without stops", run.days, "days", "run.days"), share,
        limits=("On average over many runs; one run has luck or has not.",),
    )  # fmt: skip


def gpu_hours(facts: Facts) -> Derivation:
    return derived(
        "run.gpu_hours", "GPU-hours: every GPU, for every hour", "H", "24*w*G", "GPU-h",
        Term("24", "hours in a day", 24, "h", "verified", "a day"),
        engine("w", "days with stops", facts.design.run.wall_days, "days", "run.wall_days"), facts.gpus(),
        limits=("Idle GPUs are paid for too.",),
    )  # fmt: skip


def cost(facts: Facts) -> Derivation:
    return derived(
        "run.cost", "Cost: GPU-hours × the price of one", "c", "H*r", "dollars",
        engine("H", "GPU-hours", facts.design.run.gpu_hours, "GPU-h", "run.gpu_hours"),
        setting("r", "price of a GPU-hour", facts.design.workload.gpu_hour_price, "$"),
        limits=("Only the GPUs: no failed attempts before this run, no staff, no storage.",),
    )  # fmt: skip


def supplied(facts: Facts) -> Derivation:
    rate = setting("R", "what the loaders stream", facts.design.data.supplied_tokens_per_s, "tokens/s")
    return derived("data.supplied_tokens_per_s", "What the loaders stream", "R", "R", "tokens/s", rate)


def needed(facts: Facts) -> Derivation:
    step = facts.design.step
    wait = engine("w", "of which waiting for data", step.loader_wait_seconds, "s", "step.loader_wait_seconds")
    return derived(
        "data.needed_tokens_per_s", "Tokens a second that keep the mesh fed", "n", "T / (s - w)", "tokens/s",
        facts.tokens_of_step(), facts.seconds(), wait,
        limits=("An average; a reader that stalls inside a step is not seen.",), cites=("megascale", "section 3.4"),
    )  # fmt: skip


FIGURES = {
    "run.mfu": mfu,
    "run.hfu": hfu,
    "run.tokens": tokens,
    "run.flop": flop,
    "run.model_flop": model_flop,
    "run.days": days,
    "run.wall_days": wall_days,
    "run.gpu_hours": gpu_hours,
    "run.cost": cost,
    "data.needed_tokens_per_s": needed,
    "data.supplied_tokens_per_s": supplied,
}
