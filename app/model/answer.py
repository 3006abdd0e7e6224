"""What `size()` answers: plain frozen records whose names are the names of the JSON.

Every page, the API and the command line show these and compute nothing of their own.
Inputs and figures carry their unit in the name; fractions are 0 to 1.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """One number of this design, ready to show: `id` is its path in the JSON."""

    id: str
    value: float
    text: str
    unit: str = ""
    note: str = ""


@dataclass(frozen=True)
class ModelPart:
    id: str
    params: float
    active_params: float
    formula: str


@dataclass(frozen=True)
class ModelSummary:
    name: str
    total_params: float
    active_params: float
    parts: tuple[ModelPart, ...]


@dataclass(frozen=True)
class Shape:
    """The recommended shape; `title` is a heading, `reasons` are whole sentences."""

    id: str
    title: str
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class Layout:
    tensor: int
    pipeline: int
    context: int
    expert: int
    data: int
    zero_stage: int
    micro_batch: int
    chunks: int
    recompute: str
    microbatches: int
    gpus_used: int


@dataclass(frozen=True)
class StageMemory:
    """One GPU of pipeline stage `stage` (from 0)."""

    stage: int
    layers: int
    weights_bytes: float
    gradients_bytes: float
    optimizer_bytes: float
    activations_bytes: float
    overhead_bytes: float
    total_bytes: float


@dataclass(frozen=True)
class Memory:
    """The fullest GPU; `state_bytes` alone is the whole model's."""

    weights_bytes: float
    gradients_bytes: float
    optimizer_bytes: float
    activations_bytes: float
    overhead_bytes: float
    total_bytes: float
    capacity_bytes: float
    usable_bytes: float
    state_bytes: float
    gpus_for_state: int
    fits: bool
    fullest_stage: int
    stages: tuple[StageMemory, ...]


@dataclass(frozen=True)
class Exchange:
    """One value per kind of parallelism."""

    tensor: float
    context: float
    expert: float
    pipeline: float
    data_parallel: float


@dataclass(frozen=True)
class Step:
    """`seconds` is the sum of the ten parts that follow it."""

    seconds: float
    compute_seconds: float
    tensor_exposed_seconds: float
    context_exposed_seconds: float
    expert_exposed_seconds: float
    pipeline_exposed_seconds: float
    data_parallel_exposed_seconds: float
    bubble_seconds: float
    optimizer_seconds: float
    overhead_seconds: float
    loader_wait_seconds: float
    communication_seconds: Exchange
    communication_bytes: Exchange


@dataclass(frozen=True)
class Pipeline:
    stages: int
    microbatches: int
    bubble_over_ideal: float
    idle_fraction: float


@dataclass(frozen=True)
class Run:
    flop: float
    model_flop: float
    days: float
    wall_days: float
    mfu: float
    hfu: float
    tokens: float
    gpu_hours: float
    cost: float


@dataclass(frozen=True)
class Data:
    needed_tokens_per_s: float
    supplied_tokens_per_s: float


@dataclass(frozen=True)
class Reliability:
    stops_per_day: float
    hours_between_stops: float
    lost_fraction: float
    repeated_fraction: float
    stall_fraction: float
    restart_fraction: float
    goodput: float
    optimal_checkpoint_minutes: float
    young_checkpoint_minutes: float
    checkpoint_bytes: float
    checkpoint_write_seconds: float


@dataclass(frozen=True)
class Accuracy:
    """How far every figure of time may be off, from published runs of this kind that no fit had seen.

    `low_fraction` to `high_fraction`: measured over predicted time, less 1, on eight runs in ten;
    `nine_in_ten_fraction`: the error that nine runs in ten stay within. `runs` stand behind it;
    `seen`: whether runs like this one are among them. `text` is short, `reason` one sentence.
    """

    low_fraction: float
    high_fraction: float
    nine_in_ten_fraction: float
    runs: int
    seen: bool
    text: str
    reason: str


@dataclass(frozen=True)
class Bottleneck:
    """`status` is ok, tight or over; `figure.value` equals `load`, `figure.note` says of what."""

    id: str
    label: str
    load: float
    status: str
    figure: Figure


@dataclass(frozen=True)
class PathPart:
    """`notes` are short lines under the figures; an unlit part's first note says why it is off."""

    id: str
    label: str
    group: str
    lit: bool
    figures: tuple[Figure, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Why:
    """`kind`: lead (one sentence), cause, binds (which limit decides), change (a row before and now)."""

    kind: str
    text: str
    before: str = ""
    now: str = ""


@dataclass(frozen=True)
class Tradeoff:
    id: str
    label: str
    chose: str
    paid: str
    instead: str


@dataclass(frozen=True)
class Source:
    id: str
    label: str
    where: str
    url: str


@dataclass(frozen=True)
class Rule:
    """`acting`: whether it decides anything at this setting; `effect`: what it says in figures here."""

    id: str
    claim: str
    source: Source
    acting: bool
    effect: str


@dataclass(frozen=True)
class Assumption:
    id: str
    text: str


@dataclass(frozen=True)
class RunnerUp:
    layout: Layout
    why: str


@dataclass(frozen=True)
class Remedy:
    """One change that helps: `query` applies it, `effect` is what it brings."""

    change: str
    query: str
    effect: str


@dataclass(frozen=True)
class Sizing:
    workload: dict[str, object]
    model: ModelSummary
    shape: Shape
    layout: Layout
    memory: Memory
    step: Step
    pipeline: Pipeline
    run: Run
    data: Data
    reliability: Reliability
    accuracy: Accuracy
    bottlenecks: tuple[Bottleneck, ...]
    path: tuple[PathPart, ...]
    why: tuple[Why, ...]
    tradeoffs: tuple[Tradeoff, ...]
    rules: tuple[Rule, ...]
    assumptions: tuple[Assumption, ...]
    limits: tuple[str, ...]
    runner_up: RunnerUp | None
    remedies: tuple[Remedy, ...]
