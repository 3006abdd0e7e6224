"""What the user asks for: one frozen, validated record whose names carry their units."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import urlencode

from pydantic import BaseModel, ConfigDict, ValidationError, field_validator, model_validator
from pydantic_core import PydanticCustomError

from app.model.calibration import DEFAULT_STACK, STACKS
from app.model.fields import FIELDS, LAYOUT, Field
from app.model.hardware import ACCELERATORS
from app.model.model_code import decode, encode
from app.model.transformer import PRESETS, given_model
from app.model.units import grouped, parse_number, significant

_WORDS = {
    "true": True,
    "on": True,
    "yes": True,
    "1": True,
    "false": False,
    "off": False,
    "no": False,
    "0": False,
}
TOKENS_PER_PARAM = 20
LOADER_TOKENS_PER_GPU = 31_250.0


@dataclass(frozen=True)
class Problem:
    """One refused input: the field, the value quoted short, and what to do about it."""

    field: str
    value: str
    message: str


class WorkloadError(ValueError):
    """Some inputs are out of bounds or not known; `problems` names each."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        self.problems = problems
        super().__init__("; ".join(f"{p.field}: {p.message}" for p in problems))


class Workload(BaseModel):
    """A workload. None means 'derived': `resolved()` fills every one in.

    Counts are numbers of things; `*_tokens` tokens; `*_gb_per_s` 1e9 bytes a second;
    `*_minutes` minutes; `mtbf_gpu_hours` GPU-hours. Bounds stand in `fields.py`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    params: float = 8e9
    model: str | None = None
    own_model: str | None = None
    gpus: int = 64
    gpu: str = "h100-80gb"
    gpus_per_node: int | None = None
    batch_tokens: float = 4_194_304.0
    seq_tokens: int = 4096
    link_gb_per_s: float = 50.0
    data_tokens_per_s: float | None = None
    checkpoint_minutes: float = 30.0
    split_model: bool = True
    recompute: str = "auto"
    train_tokens: float | None = None
    trained_params: float | None = None
    mfu: float | str = "model"
    bytes_per_param: int = 16
    precision: str = "bf16"
    stack: str = DEFAULT_STACK
    measured_step_seconds: float | None = None
    stack_time: float | None = None
    goal: str = "simplest"
    tensor: int | None = None
    pipeline: int | None = None
    context: int | None = None
    expert: int | None = None
    data: int | None = None
    zero_stage: int | None = None
    micro_batch: int | None = None
    chunks: int | None = None
    mtbf_gpu_hours: float = 50_677.0
    checkpoint_gb_per_s: float | None = None
    checkpoint_async: bool = False
    restart_minutes: float = 10.0
    gpu_hour_price: float = 2.5

    @field_validator("*", mode="before")
    @classmethod
    def _read(cls, value: Any, info: Any) -> Any:
        field = FIELDS[info.field_name]
        if value is None or (isinstance(value, str) and not value.strip()):
            return cls.model_fields[field.name].default
        if isinstance(value, (list, tuple, dict, set)):
            raise _refused("takes one value, not a list")
        if field.name == "own_model":
            return _read_code(str(value).strip())
        if field.name in ("split_model", "checkpoint_async"):
            return _read_switch(value)
        choices = choices_of(field)
        if choices:
            return _read_word(str(value).strip(), choices, field)
        if field.name == "mfu" and isinstance(value, str) and value.strip().lower() == "model":
            return "model"
        return _read_number(value, field)

    @model_validator(mode="after")
    def _trained_within_params(self) -> "Workload":
        given = given_model(self)
        total = given.total_params if given else self.params
        if self.trained_params is not None and self.trained_params > total:
            message = f"is more than the model has: give a number from 0 to {grouped(total)}"
            raise PydanticCustomError("trained_params", "{message}", {"message": message})
        return self

    def resolved(self) -> "Workload":
        """The same workload with every derived value filled in; layout parts stay as asked."""
        return _resolved(self)

    def query(self, **changes: object) -> str:
        """The shortest query string that gives this workload, with `changes` applied."""
        values = {**self.model_dump(), **changes}
        default = _DEFAULTS
        return urlencode({k: _plain(v) for k, v in values.items() if v is not None and v != default[k]})

    def changed(self, **changes: object) -> "Workload":
        """A copy with some values replaced, validated again."""
        return Workload(**{**self.model_dump(), **changes})

    def fixed_layout(self) -> dict[str, int]:
        """The parts of the layout that the user fixed."""
        return {f.name: v for f in LAYOUT if (v := getattr(self, f.name)) is not None}


@lru_cache(maxsize=1024)
def _resolved(workload: Workload) -> Workload:
    given = given_model(workload)
    params = given.total_params if given else workload.params
    preset = PRESETS[workload.model] if workload.model and not workload.own_model else None
    tokens = preset.train_tokens if preset and preset.train_tokens else TOKENS_PER_PARAM * params
    derived: dict[str, object] = {
        "params": params,
        "gpus_per_node": ACCELERATORS[workload.gpu].gpus_per_node,
        "data_tokens_per_s": LOADER_TOKENS_PER_GPU * workload.gpus,
        "train_tokens": min(max(tokens, FIELDS["train_tokens"].low), FIELDS["train_tokens"].high),
        "trained_params": params,
        "checkpoint_gb_per_s": max(5.0, workload.gpus * 273 / 3072),
    }
    missing = {k: v for k, v in derived.items() if k == "params" or getattr(workload, k) is None}
    return workload.model_copy(update=missing)


def choices_of(field: Field) -> tuple[str, ...]:
    """The words a field takes; empty for numbers."""
    tables: dict[str, Mapping[str, object]] = {"model": PRESETS, "gpu": ACCELERATORS, "stack": STACKS}
    return tuple(tables[field.name]) if field.name in tables else field.choices


def read_workload(values: Mapping[str, Any]) -> Workload:
    """A workload from query parameters, a form, a JSON object or command-line options.

    Raises WorkloadError, which names each refused field, its value and its bounds.
    """
    try:
        return Workload(**values)
    except ValidationError as error:
        raise WorkloadError(tuple(_problem(e, values) for e in error.errors())) from None


def _problem(error: Any, values: Mapping[str, Any]) -> Problem:
    field = str(error["loc"][0]) if error["loc"] else error["type"]
    known = error["type"] != "extra_forbidden"
    message = error["msg"] if known else "is not an input of the lab; the inputs are listed on /docs"
    return Problem(_short(field), _short(values.get(field, "")), message)


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 40 else text[:39] + "…"


def _plain(value: object) -> object:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return int(value) if value == int(value) else value
    return value


def _refused(message: str) -> PydanticCustomError:
    return PydanticCustomError("refused", "{message}", {"message": message})


def _read_switch(value: object) -> bool:
    word = str(value).strip().lower()
    if word not in _WORDS:
        raise _refused(f"is {_short(value)!r}: give true or false")
    return _WORDS[word]


_canonical = lru_cache(maxsize=256)(lambda code: encode(decode(code)))
"""The one spelling of a code, so that one model is one workload."""


def _read_code(value: str) -> str:
    try:
        return str(_canonical(value))
    except ValueError as error:
        raise _refused(f"is {_short(value)!r}: it {error}; make one from a config.json on /model") from None


def _read_word(value: str, choices: tuple[str, ...], field: Field) -> str | int:
    word = {"off": "none", "on": "full"}.get(value, value) if field.name == "recompute" else value
    if word not in choices:
        raise _refused(f"is {_short(value)!r}: give one of {', '.join(choices)}")
    return int(word) if field.name == "bytes_per_param" else word


def _read_number(value: object, field: Field) -> float | int:
    bounds = f"give a number from {bound_text(field.low)} to {bound_text(field.high)}"
    if isinstance(value, bool):
        raise _refused(f"is {value}: {bounds}")
    try:
        number = parse_number(value if isinstance(value, str) else repr(value))
    except ValueError:
        raise _refused(f"is {_short(value)!r}, not a number: {bounds}") from None
    if not field.low <= number <= field.high:
        side = "below" if number < field.low else "above"
        raise _refused(f"is {_short(value)}, {side} the bound: {bounds}")
    if field.whole and number != int(number):
        raise _refused(f"is {_short(value)}: {bounds}, whole")
    return int(number) if field.whole else number


def bound_text(value: float) -> str:
    """A bound as a person writes it.

    >>> bound_text(1e13), bound_text(1e9), bound_text(0.1), bound_text(4194304)
    ('1e13', '1e9', '0.1', '4\u202f194\u202f304')
    """
    if value >= 1e9:
        return f"{value:.0e}".replace("e+0", "e").replace("e+", "e")
    return grouped(value) if value == int(value) else significant(value, 1)


_DEFAULTS = {name: field.default for name, field in Workload.model_fields.items()}
