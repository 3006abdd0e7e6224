"""A model as one short word of a web address, so that a link to a design carries the model itself."""

import base64
import json
import zlib
from dataclasses import MISSING, Field, fields
from functools import lru_cache
from typing import Any

from app.model.answer import ModelPart
from app.model.architecture import NORM_VECTORS, Transformer
from app.model.units import grouped

MOST_CODE = 2000
"""Characters of a code; those of published models have 130 to 310."""
MOST_JSON_BYTES = 8000
MOST_TEXT = 60
MOST_EXTRA = 16
LEFT_OUT = ("id", "params_exact")
LEAST_PARAMS, MOST_PARAMS = 10**6, 10**13
MOST_SPLITS = 2000
"""Tensor × pipeline × expert sizes that the search tries; published models have up to 900."""
MOST = {"layers": 1000, "heads": 2048, "experts": 4096, "norms_per_layer": 16, "positions": 10**9}
LEAST = ("layers", "hidden", "heads", "kv_heads", "head_dim", "vocab")
MOST_SIZE = 10**7
QK_NORMS = ("", "head", "full")


def encode(model: Transformer) -> str:
    """The code of a model; its name is cut to `MOST_TEXT` characters.

    Raises ValueError with what the lab cannot size.
    """
    values = {f.name: getattr(model, f.name) for f in _written() if getattr(model, f.name) != f.default}
    values["name"] = model.name[:MOST_TEXT]
    if model.extra:
        values["extra"] = [[p.id, p.params, p.active_params, p.formula] for p in model.extra]
    _model(values)
    packed = zlib.compress(json.dumps(values, separators=(",", ":")).encode(), 9)
    return base64.urlsafe_b64encode(packed).decode().rstrip("=")


@lru_cache(maxsize=256)
def decode(code: str) -> Transformer:
    """The model of a code.

    Raises ValueError for any text that `encode` does not write for a model the lab can size.
    """
    if len(code) > MOST_CODE:
        raise ValueError(f"has {grouped(len(code))} characters; a code has at most {grouped(MOST_CODE)}")
    return _model(_unpacked(code))


def _unpacked(code: str) -> Any:
    try:
        packed = base64.b64decode(code + "=" * (-len(code) % 4), altchars=b"-_", validate=True)
        unpacking = zlib.decompressobj()
        text = unpacking.decompress(packed, MOST_JSON_BYTES)
        if not unpacking.eof or unpacking.unused_data:
            raise ValueError("cut off, or longer than a code")
        return json.loads(text)
    except (ValueError, RecursionError, zlib.error):
        raise ValueError("is not the code of a model") from None


def _written() -> tuple[Field[Any], ...]:
    return tuple(f for f in fields(Transformer) if f.name not in LEFT_OUT and f.name != "extra")


def _model(values: Any) -> Transformer:
    """The model of decoded values, everything checked."""
    if type(values) is not dict:
        raise ValueError("is not the code of a model")
    left = dict(values)
    extra = _extra(left.pop("extra", []))
    read = {f.name: _value(f, left.pop(f.name, f.default)) for f in _written()}
    if left:
        raise ValueError("is not the code of a model")
    model = Transformer(id="", **read, extra=extra)
    _check_parts(model)
    _check_size(model)
    return model


def _value(field: Field[Any], value: Any) -> Any:
    if value is MISSING or type(value) is not field.type:
        raise ValueError("is not the code of a model")
    if field.type is str:
        return _text(value) if field.name == "name" else value
    least, most = int(field.name in LEAST), MOST.get(field.name, MOST_SIZE)
    if field.type is int and not least <= value <= most:
        raise ValueError(f"has {field.name} = {_count(value)}; the lab sizes {least} to {grouped(most)}")
    return value


def _count(value: int) -> str:
    return grouped(value) if abs(value) < 10**15 else "a number of more than 15 digits"


def _text(value: Any) -> str:
    if type(value) is not str or not 0 < len(value) <= MOST_TEXT or not value.isprintable():
        raise ValueError(f"has a name that is not 1 to {MOST_TEXT} printable characters")
    return value


def _extra(rows: Any) -> tuple[ModelPart, ...]:
    if type(rows) is not list or len(rows) > MOST_EXTRA or any(type(row) is not list or len(row) != 4 for row in rows):
        raise ValueError("is not the code of a model")
    return tuple(_part(*row) for row in rows)


def _part(id: Any, params: Any, active: Any, formula: Any) -> ModelPart:
    if type(params) is not int or type(active) is not int or not 0 <= active <= params <= MOST_PARAMS:
        raise ValueError("has a part whose count is not a number of weights")
    return ModelPart(_text(id), params, active, _text(formula))


def _check_parts(m: Transformer) -> None:
    """What belongs together is there together."""
    wrong = {
        "key heads that do not divide its heads": m.heads % m.kv_heads,
        "norms of an unknown kind": m.norm not in NORM_VECTORS or m.qk_norm not in QK_NORMS,
        "more experts for a token than experts": m.experts_per_token > m.experts,
        "experts without width, or that no token uses": m.experts and not (m.expert_ffn and m.experts_per_token),
        "more dense layers than it can beside experts": m.dense_layers > (m.layers - 1 if m.experts else 0),
        "dense layers without an FFN": m.plain_layers and not m.ffn,
        "latent attention without head sizes": m.latent and not (m.nope_dim and m.v_dim),
    }
    for what, is_wrong in wrong.items():
        if is_wrong:
            raise ValueError(f"has {what}")


def _check_size(m: Transformer) -> None:
    if not LEAST_PARAMS <= m.total_params <= MOST_PARAMS:
        bounds = f"{grouped(LEAST_PARAMS)} to {grouped(MOST_PARAMS)}"
        raise ValueError(f"has {_count(int(m.total_params))} parameters; the lab sizes {bounds}")
    if _splits(m) > MOST_SPLITS:
        raise ValueError("has numbers of heads, layers and experts that divide in too many ways to search them all")


def _splits(m: Transformer) -> int:
    """How many ways there are to split heads, layers and experts, as the search tries them."""
    heads = sum(m.heads % n == 0 for n in range(1, m.heads + 1))
    layers = sum(m.layers % n == 0 for n in range(1, 65)) + m.layers.bit_length()
    return heads * layers * max(1, (m.experts & -m.experts).bit_length())
