"""Which transformer a workload trains: a published model, or the standard shape for a parameter count."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache, lru_cache
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING

from pydantic import TypeAdapter

from app.model.architecture import Transformer
from app.model.model_code import decode
from app.model.sources import rows

if TYPE_CHECKING:
    from app.model.workload import Workload

__all__ = ["PRESETS", "Preset", "Transformer", "derived", "given_model", "transformer_for"]

# Parameters and layers of GPT-3 small, Llama 3.2 1B and 3B, Llama 3.1 and Megatron 1T; the ends are ours.
DEPTH_ANCHORS = (
    *((1e6, 4), (1e7, 8), (1.25e8, 12), (1.2e9, 16), (3.2e9, 28)),
    *((8e9, 32), (70e9, 80), (405e9, 128), (1e12, 128), (1e13, 192)),
)
DEPTHS = (4, 8, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192)
WIDTHS = tuple(
    width
    for start, stop, step in ((128, 2048, 128), (2048, 4096, 512), (4096, 8192, 1024), (8192, 90_000, 2048))
    for width in range(start, stop, step)
)
FFN_OVER_WIDTH = 3.5
KV_HEADS = 8
MAX_HEAD_DIM = 128
VOCABULARIES = ((4e6, 2048), (4e7, 8192), (1e9, 32_768), (math.inf, 128_256))
TIED_BELOW = 4e9


@lru_cache(maxsize=4096)
def derived(params: float) -> Transformer:
    """The standard shape for a parameter count; its total stands for exactly `params`. [-]

    params: all weights [-]

    Depth: log-log line through `DEPTH_ANCHORS`. Among `DEPTHS` and `WIDTHS`, the pair that leaves the
    gated FFN, which takes whatever is left, nearest 3.5 times the width and the depth nearest its line.
    Heads: multiples of eight, at most 128 wide; eight key/value heads. FFN: whole sixteenths of the width.
    Vocabulary: `VOCABULARIES`, smaller for small models; below 4e9 one table serves both ends.
    Source: arXiv:2005.14165 table 2.1; arXiv:2407.21783 table 3; arXiv:2104.04473 table 1.
    Limits: below 1.25e8 and above 1e12 depth is our own assumption; the shape counts within 3 % of `params`.
    """
    vocab = next(size for limit, size in VOCABULARIES if params < limit)
    tables = vocab * (1 if params < TIED_BELOW else 2)
    line = _depth(params)
    guess = math.sqrt(params / (12 * line))
    depths = [depth for depth in DEPTHS if line / 2 <= depth <= line * 2]
    widths = [width for width in WIDTHS if guess / 2 <= width <= guess * 2] or WIDTHS[:1]

    def misfit(shape: tuple[int, int]) -> float:
        layers, width = shape
        wanted = FFN_OVER_WIDTH * width
        return abs(math.log(_ffn_room(params, layers, width, tables) / wanted)) + abs(math.log(layers / line))

    layers, width = min(((depth, width) for depth in depths for width in widths), key=misfit)
    grain = width // 16
    return Transformer(
        id="",
        name="Standard shape",
        layers=layers,
        hidden=width,
        heads=_heads(width),
        kv_heads=KV_HEADS,
        head_dim=width // _heads(width),
        ffn=round(_ffn_room(params, layers, width, tables) / grain) * grain,
        vocab=vocab,
        tied=params < TIED_BELOW,
        params_exact=params,
    )


def _depth(params: float) -> float:
    """Depth on the line through the anchors, which goes on beyond both ends. [layers]"""
    lines = list(pairwise(DEPTH_ANCHORS))
    (low, few), (high, many) = next((line for line in lines if params <= line[1][0]), lines[-1])
    return few * math.exp(math.log(many / few) * math.log(params / low) / math.log(high / low))


@cache
def _heads(width: int) -> int:
    """The fewest heads, in multiples of eight, that cut the width into heads of at most 128. [-]"""
    return next(n for n in range(8, width, 8) if width % n == 0 and width // n <= MAX_HEAD_DIM)


def _ffn_room(params: float, layers: int, width: int, tables: int) -> float:
    """FFN width that uses up what attention and the token tables leave; at least 1. [-]"""
    kv_width = KV_HEADS * width // _heads(width)
    layer = (params - tables * width) / layers - 2 * width * (width + kv_width)
    return max(1.0, layer / (3 * width))


@dataclass(frozen=True)
class Preset:
    """A published model and how it was pretrained; None is what its makers did not publish.

    confirmed: "yes", or "secondary" where a value rests on others' notes alone
    """

    transformer: Transformer
    seq_tokens: int
    shape_source: str
    run_source: str
    confirmed: str
    note: str
    train_tokens: float | None = None
    batch_tokens: float | None = None


def _presets() -> dict[str, Preset]:
    read = TypeAdapter(Preset).validate_python
    shape = {field.name for field in fields(Transformer)}
    found = {}
    for row in rows("presets.csv"):
        known = {name: cell for name, cell in row.items() if cell}
        transformer = {name: cell for name, cell in known.items() if name in shape}
        found[row["id"]] = read(
            {name: cell for name, cell in known.items() if name not in shape} | {"transformer": transformer}
        )
    return found


PRESETS: Mapping[str, Preset] = MappingProxyType(_presets())


def given_model(workload: "Workload") -> Transformer | None:
    """The model that the workload carries or names; None where it gives only a count."""
    if workload.own_model:
        return decode(workload.own_model)
    return PRESETS[workload.model].transformer if workload.model else None


def transformer_for(workload: "Workload") -> Transformer:
    """The model that the workload gives, else the standard shape for its parameter count."""
    return given_model(workload) or derived(workload.params)
