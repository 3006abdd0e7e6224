"""Which transformer a workload trains: a published model, or the standard shape for a parameter count."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from app.model.architecture import Transformer
from app.model.sources import rows

if TYPE_CHECKING:
    from app.model.workload import Workload

__all__ = ["PRESETS", "Preset", "Transformer", "derived", "transformer_for"]

DEPTHS = (4, 8, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192)
DEPTH_ANCHORS = ((1e6, 4), (1e7, 8), (1.25e8, 12), (1.2e9, 16), (3.2e9, 28), (8e9, 32), (70e9, 80),
                 (405e9, 128), (1e12, 128), (1e13, 192))
WIDTHS = (*range(128, 2048, 128), *range(2048, 4096, 512), *range(4096, 8192, 1024), *range(8192, 90_000, 2048))
VOCABULARIES = ((4e6, 2048), (4e7, 8192), (1e9, 32_768), (math.inf, 128_256))
TIED_BELOW = 4e9
FFN_OVER_WIDTH = 3.5
KV_HEADS = 8


@dataclass(frozen=True)
class Preset:
    """A published model and how it was pretrained; None is a fact that its makers did not publish."""

    transformer: Transformer
    train_tokens: float | None
    batch_tokens: float | None
    seq_tokens: int
    shape_source: str
    run_source: str
    confirmed: str
    note: str


@lru_cache(maxsize=4096)
def derived(params: float) -> Transformer:
    """The standard shape for a parameter count; its counts stand for exactly `params`. [-]

    params: all weights [-]

    Depth: interpolated in log-log between `DEPTH_ANCHORS`, then the nearest of `DEPTHS`.
    Width: the one of `WIDTHS` whose gated FFN, filling the rest, comes nearest 3.5 times the width.
    Heads: a multiple of eight of at most 128 each; eight key/value heads. FFN: whole sixteenths of the width.
    Vocabulary: `VOCABULARIES`, a small one for small models; one table for both ends below 4e9.
    Source: anchors are GPT-3 small (12 layers), Llama 3.2 (16, 28) and Llama 3.1 (32, 80, 126), Megatron 1T (128):
        arXiv:2005.14165 table 2.1, arXiv:2407.21783 table 3, arXiv:2104.04473 table 1.
    Limits: below 1.25e8 and above 1e12 the depth is a teaching assumption; the shape counts within 3 % of `params`.
    """
    vocab = next(size for limit, size in VOCABULARIES if params < limit)
    tied = params < TIED_BELOW
    depth, guess = _depth(params), math.sqrt(params / (12 * _depth(params)))
    depths = [n for n in DEPTHS if depth / 2 <= n <= depth * 2]
    widths = [w for w in WIDTHS if guess / 2 <= w <= guess * 2] or WIDTHS[:1]

    def misfit(shape: tuple[int, int]) -> float:
        """How far depth and FFN are from the rule, in powers of e. [-]"""
        layers, width = shape
        room = _ffn_room(params, layers, width, vocab, tied)
        return abs(math.log(room / (FFN_OVER_WIDTH * width))) + abs(math.log(layers / depth))

    layers, width = min(((n, w) for n in depths for w in widths), key=misfit)
    ffn = round(_ffn_room(params, layers, width, vocab, tied) / (width // 16)) * (width // 16)
    heads = _heads(width)
    return Transformer("", "Standard shape", layers, width, heads, KV_HEADS, width // heads, ffn, vocab,
                       tied=tied, params_exact=params)


def _depth(params: float) -> float:
    """Depth interpolated between the anchors, straight lines in log-log. [layers]"""
    anchors = zip(DEPTH_ANCHORS, DEPTH_ANCHORS[1:], strict=False)
    (low, few), (high, many) = next(((a, b) for a, b in anchors if params <= b[0]), DEPTH_ANCHORS[-2:])
    return few * (many / few) ** (math.log(params / low) / math.log(high / low))


@lru_cache(maxsize=None)
def _heads(width: int) -> int:
    """The fewest heads, in multiples of eight, that divide the width into at most 128 each. [-]"""
    return next(n for n in range(8, width, 8) if width % n == 0 and width // n <= 128)


def _ffn_room(params: float, layers: int, width: int, vocab: int, tied: bool) -> float:
    """FFN width that uses up `params` beside attention and tables; at least 1. [-]"""
    kv_width = KV_HEADS * width // _heads(width)
    tables = (1 if tied else 2) * vocab * width
    return max(1.0, ((params - tables) / layers - 2 * width * (width + kv_width)) / (3 * width))


def _preset(row: dict[str, str]) -> Preset:
    kinds = {f.name: f.type for f in fields(Transformer)}
    cells = {name: row[name] for name in row if name in kinds and row[name]}
    read = {"str": str, "int": int, "bool": lambda text: text == "yes"}
    transformer = Transformer(**{n: read[getattr(kinds[n], "__name__", str(kinds[n]))](text) for n, text in cells.items()})
    tokens, batch = (float(row[n]) if row[n] else None for n in ("train_tokens", "batch_tokens"))
    return Preset(transformer, tokens, batch, int(row["seq_tokens"]),
                  row["shape_source"], row["run_source"], row["confirmed"], row["note"])


PRESETS: Mapping[str, Preset] = MappingProxyType({row["id"]: _preset(row) for row in rows("presets.csv")})


def transformer_for(workload: "Workload") -> Transformer:
    """The preset that the workload names, else the standard shape for its parameter count."""
    return PRESETS[workload.model].transformer if workload.model else derived(workload.params)
