"""Every input of a workload, once: name, label, unit, bounds, help and the stops of its slider.

The form, the command line, the messages and the API description are made from this table.
"""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Field:
    """One input. `choices` for words, `low` and `high` (inclusive) for numbers."""

    name: str
    label: str
    unit: str
    help: str
    low: float = 0.0
    high: float = 0.0
    whole: bool = False
    default: float | str | bool | None = None
    choices: tuple[str, ...] = ()
    stops: tuple[float, ...] = ()


def decades(low: float, high: float, mantissas: tuple[float, ...]) -> tuple[float, ...]:
    """Slider stops m·10^k from low to high.

    >>> decades(1, 100, (1, 2, 5))
    (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)
    """
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    stops = (float(f"{m}e{k}") for k in range(first, last + 1) for m in mantissas)
    return tuple(s for s in stops if low <= s <= high)


def octaves(low: float, high: float, parts: tuple[float, ...] = (1.0, 1.5)) -> tuple[float, ...]:
    """Slider stops m·2^k from low to high, whole numbers only.

    >>> octaves(1, 16)
    (1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0)
    """
    first, last = math.floor(math.log2(low)), math.ceil(math.log2(high))
    stops = sorted({m * 2.0**k for k in range(first, last + 1) for m in parts})
    return tuple(s for s in stops if low <= s <= high and s == int(s))


FINE = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0)
COARSE = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0)

SLIDERS = (
    Field(
        "params",
        "Model parameters",
        "weights",
        "Sets the floor of memory on every GPU.",
        1e6,
        1e13,
        False,
        8e9,
        stops=decades(1e6, 1e13, FINE),
    ),
    Field(
        "gpus",
        "GPU count",
        "GPUs",
        "Factored into data × tensor × pipeline.",
        1,
        1_000_000,
        True,
        64.0,
        stops=(*octaves(1, 1_000_000), 1_000_000.0),
    ),
    Field(
        "batch_tokens",
        "Global batch",
        "tokens",
        "Tokens in one optimizer step, whole mesh.",
        512,
        1e9,
        False,
        4_194_304.0,
        stops=octaves(512, 1e9),
    ),
    Field(
        "seq_tokens",
        "Sequence length",
        "tokens",
        "Context window; activations grow with it.",
        128,
        4_194_304,
        True,
        4096.0,
        stops=octaves(128, 4_194_304),
    ),
    Field(
        "link_gb_per_s",
        "Interconnect bandwidth",
        "GB/s",
        "Of one GPU across nodes, one direction.",
        1,
        2000,
        False,
        50.0,
        stops=decades(1, 2000, COARSE),
    ),
    Field(
        "data_tokens_per_s",
        "Data pipeline throughput",
        "tokens/s",
        "What the loaders stream from object storage.",
        1e3,
        1e12,
        False,
        None,
        stops=decades(1e3, 1e12, COARSE),
    ),
    Field(
        "checkpoint_minutes",
        "Checkpoint interval",
        "min",
        "Minutes of compute between saves: shorter repeats less, but writes more.",
        0.1,
        100_000,
        False,
        30.0,
        stops=decades(0.1, 100_000, COARSE),
    ),
)

SWITCHES = (
    Field(
        "split_model",
        "Tensor + pipeline parallel",
        "",
        "Cut layers across GPUs and depth across nodes.",
        default=True,
        choices=("true", "false"),
    ),
    Field(
        "recompute",
        "Activation checkpointing",
        "",
        "Recompute in the backward pass: pay compute, save memory.",
        default="auto",
        choices=("auto", "none", "selective", "full"),
    ),
)

LAYOUT = (
    Field("tensor", "Tensor", "GPUs", "GPUs that share each layer.", 1, 1024, True),
    Field("pipeline", "Pipeline", "stages", "Stages that the depth is cut into.", 1, 1024, True),
    Field("context", "Context", "GPUs", "GPUs that share one long sequence.", 1, 1024, True),
    Field("expert", "Expert", "GPUs", "GPUs that share the experts of a layer.", 1, 1024, True),
    Field("data", "Data", "replicas", "Copies of the model that split the batch.", 1, 1_000_000, True),
    Field(
        "zero_stage",
        "ZeRO stage",
        "",
        "0 keeps all state whole; 1, 2, 3 shard optimizer, gradients, weights.",
        0,
        3,
        True,
    ),
    Field(
        "micro_batch",
        "Micro-batch",
        "sequences",
        "Sequences that go through the model at once.",
        1,
        4096,
        True,
    ),
    Field("chunks", "Chunks", "per GPU", "Interleaved blocks of layers on each stage.", 1, 256, True),
)

EXPERT = (
    Field("gpus_per_node", "GPUs in a node", "GPUs", "Joined by the fast link.", 1, 1024, True),
    Field(
        "train_tokens",
        "Training tokens",
        "tokens",
        "Of the whole run; empty means 20 for each parameter.",
        1e6,
        1e16,
    ),
    Field(
        "trained_params",
        "Trained parameters",
        "weights",
        "Frozen weights cost 2 bytes each and no more.",
        0,
        1e13,
    ),
    Field(
        "mfu",
        "MFU",
        "",
        "The word model for the engine's estimate, or a planning figure such as 0.40.",
        0.01,
        1,
        default="model",
    ),
    Field(
        "bytes_per_param",
        "Bytes per parameter",
        "bytes",
        "16 = 2 + 2 + 12; 18 with 32-bit gradients; 20 with both kinds of gradient.",
        default="16",
        choices=("16", "18", "20"),
    ),
    Field(
        "precision",
        "Arithmetic",
        "",
        "Number format of the matrix multiplications.",
        default="bf16",
        choices=("bf16", "fp16", "fp8", "fp32"),
    ),
    Field("stack", "Software stack", "", "Row of the calibration table."),
    Field(
        "measured_step_seconds",
        "Measured step",
        "s",
        "Of this very design: moves the stack's multiplier. Keep the multiplier to change the design.",
        1e-4,
        1e6,
    ),
    Field(
        "stack_time",
        "Stack multiplier",
        "×",
        "Time of your stack over the table's: what a measured step says, else 1.",
        0.5,
        2,
    ),
    Field(
        "goal",
        "Goal",
        "",
        "Simplest layout within reach of the fastest, or the fastest.",
        default="simplest",
        choices=("simplest", "fastest"),
    ),
    Field(
        "mtbf_gpu_hours",
        "GPU-hours between stops",
        "GPU-h",
        "Llama 3: 16 384 GPUs × 54 days ÷ 419 stops.",
        1,
        1e9,
        default=50_677.0,
    ),
    Field("checkpoint_gb_per_s", "Checkpoint store", "GB/s", "Write speed for the whole mesh.", 0.001, 1e6),
    Field(
        "checkpoint_async",
        "Asynchronous saving",
        "",
        "Training goes on while the checkpoint is written.",
        default=False,
        choices=("true", "false"),
    ),
    Field("restart_minutes", "Restart", "min", "From a stop to the first new step.", 0, 1e9, default=10.0),
    Field(
        "gpu_hour_price",
        "Price",
        "$ per GPU-h",
        "What one accelerator costs for an hour.",
        0,
        1e9,
        default=2.5,
    ),
)

CHOICES = (
    Field("model", "Model", "", "A published model; its own count replaces the slider."),
    Field("gpu", "GPU", "", "Accelerator type.", default="h100-80gb"),
    Field("own_model", "Your model", "", "Made from a config.json on /model; wins over model and count."),
)

FIELDS = {f.name: f for f in (*CHOICES, *SLIDERS, *SWITCHES, *LAYOUT, *EXPERT)}
