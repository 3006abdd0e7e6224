"""The six steps of the answer: numbers, a choice, and the reason for it."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from app.model.grading.cases import Given
from app.model.grading.chain import truths
from app.model.reliability import young_interval

CLOSE_INTERVAL = 2.0
"""An interval within this factor of the best one loses little more. Teaching assumption."""


@dataclass(frozen=True)
class Question:
    """Options by id, one of them right for the case, and why."""

    text: str
    options: Mapping[str, str]
    right: Callable[[Given], str]
    why: str


@dataclass(frozen=True)
class Step:
    """One step: `keys` are the numbers of the chain that it asks for."""

    id: str
    title: str
    ask: str
    keys: tuple[str, ...]
    choice: Question
    reason: Question


def _always(option: str) -> Callable[[Given], str]:
    return lambda _: option


def _fits(given: Given) -> str:
    return "one" if truths(given)["gpus_for_state"] == 1 else "split"


def _fit_reason(given: Given) -> str:
    return "fits" if _fits(given) == "one" else "state"


def _interval(given: Given) -> str:
    """Whether the case's interval is shorter or longer than the one that loses least."""
    found = truths(given)
    best = young_interval(found["checkpoint_write"], 86_400 / found["stops_per_day"])
    ratio = given.checkpoint_minutes * 60 / best
    if math.isclose(ratio, 1) or 1 / CLOSE_INTERVAL <= ratio <= CLOSE_INTERVAL:
        return "keep"
    return "longer" if ratio < 1 else "shorter"


STEPS: tuple[Step, ...] = (
    Step(
        "memory",
        "Count the memory before the compute",
        "Mixed-precision Adam. How large is the training state, and how many of these GPUs does it fill?",
        ("state", "gpus_for_state"),
        Question(
            "So the first decision is",
            {
                "speed": "how many GPUs give the speed we want",
                "split": "how to split the state over GPUs",
                "one": "nothing to split: one GPU holds the state",
            },
            _fits,
            "What fits decides before what is fast: the state is compared with the memory of one GPU first.",
        ),
        Question(
            "because",
            {
                "fits": "the state is smaller than one GPU's memory, activations aside",
                "weights": "the weights are larger than one GPU's memory",
                "state": "weights, gradients and optimizer together exceed one GPU's memory",
                "flop": "one GPU would be too slow",
            },
            _fit_reason,
            "16 bytes a parameter: 2 of weights, 2 of gradients, 12 of optimizer, before any activation.",
        ),
    ),
    Step(
        "shard",
        "Shard the state with data parallelism",
        "All GPUs share the state evenly. How much of it is left on each?",
        ("sharded_state",),
        Question(
            "What I would try first is",
            {
                "plain": "plain data parallelism: a whole copy on every GPU",
                "sharded": "sharded data parallelism (ZeRO, FSDP): a slice on every GPU",
                "tensor": "tensor parallelism over all GPUs",
            },
            _always("sharded"),
            "It keeps the simple loop over the batch and removes the copies.",
        ),
        Question(
            "and what it costs is",
            {
                "memory": "memory: every GPU still holds all weights for good",
                "idle": "idle time: stages wait for each other",
                "gather": "communication: slices are gathered before they are used",
            },
            _always("gather"),
            "Each layer's weights are gathered, used and freed; gradients are reduced into slices.",
        ),
    ),
    Step(
        "tensor",
        "Split layers inside a server",
        "One layer is too large or too slow for one GPU. What is the largest sensible tensor-parallel size?",
        ("tensor_size",),
        Question(
            "Tensor parallelism belongs",
            {
                "inside": "inside one server",
                "everywhere": "over all GPUs, the more the better",
                "between": "between servers, one GPU in each",
            },
            _always("inside"),
            "Its group ends where the fast link ends.",
        ),
        Question(
            "because",
            {
                "bubble": "it leaves GPUs idle at the end of a batch",
                "exchange": "it exchanges results inside every layer, which only the fastest link affords",
                "memory": "it needs the memory of a whole server",
            },
            _always("exchange"),
            "An all-reduce in every layer, forward and backward, cannot be hidden on a slow link.",
        ),
    ),
    Step(
        "pipeline",
        "Split depth across servers",
        "The layers stand in pipeline stages. How large is the bubble over the ideal time, "
        "and which share of a step does a stage sit idle?",
        ("pipeline_bubble", "idle_share"),
        Question(
            "To halve the bubble I would",
            {
                "stages": "double the stages",
                "microbatches": "double the micro-batches of a step",
                "sequence": "double the sequence length",
            },
            _always("microbatches"),
            "The bubble is (p − 1) ÷ m: more micro-batches, or interleaved blocks, make it smaller.",
        ),
        Question(
            "Stages go across servers because",
            {
                "borders": "they send only the activations at their borders",
                "nothing": "they send nothing at all",
                "weights": "they send their weights once a step",
            },
            _always("borders"),
            "Little traffic tolerates the slower link; the price is idle time.",
        ),
    ),
    Step(
        "time",
        "Estimate the time by a division",
        "How much work is the run, and how many days does it take, stops aside?",
        ("work", "days"),
        Question(
            "I divide the work by GPUs times",
            {
                "sparse": "the listed peak with sparsity",
                "dense": "the dense peak",
                "delivered": "the dense peak times the utilization",
            },
            _always("delivered"),
            "A cluster delivers a share of its dense peak, and that share moves the answer most.",
        ),
        Question(
            "Twice the GPUs at the same global batch gives",
            {
                "half": "exactly half the days",
                "same": "the same days: the batch decides",
                "more": "more than half the days, as utilization falls with less work on each GPU",
            },
            _always("more"),
            "Llama 3 fell from 43 % to 41 % when its GPUs doubled at a fixed batch.",
        ),
    ),
    Step(
        "failure",
        "Plan for failure",
        "How often does the run stop, which share of it is repeated, and how long does one checkpoint take?",
        ("stops_per_day", "lost_share", "checkpoint_write"),
        Question(
            "With this write time and failure rate, the interval should be",
            {
                "shorter": "much shorter (less than half of it)",
                "keep": "about as it is (within a factor of two)",
                "longer": "much longer (more than twice it)",
                "end": "the whole run: one checkpoint at the end",
            },
            _interval,
            "The interval that loses least is about √(2 × write time × time between stops).",
        ),
        Question(
            "Halving the interval",
            {
                "free": "halves the loss at no cost",
                "traffic": "halves the work lost and doubles the checkpoint traffic",
                "stops": "halves the number of stops",
            },
            _always("traffic"),
            "On average half an interval is lost at each stop; the traffic is what it is traded against.",
        ),
    ),
)
