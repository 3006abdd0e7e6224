"""Models that read images: a text decoder with the image tower and projector among its extra parts."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from app.formats.keys import HEAD_DIM, Values
from app.model.architecture import Transformer
from app.model.model_parts import whole_part

CHANNELS = 3
TOWER = {
    "hidden_size": 768,
    "intermediate_size": 3072,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "image_size": 224,
}


@dataclass(frozen=True)
class Tower:
    """The image encoder of one `model_type`: its defaults and its count. [weights]"""

    defaults: Mapping[str, Any]
    params: Callable[[Values], int]


@dataclass(frozen=True)
class Wrapper:
    """text, tower: types that stand for missing ones; defaults: keys of its own

    projector: weights from image width to text width
    """

    text: str
    tower: str
    projector: Callable[[Values, int, int], int]
    defaults: Mapping[str, Any]


def _encoder(v: Values, positions: int, norm: str = "layer", final_norm: bool = True) -> int:
    """Layers of an image encoder: plain transformer layers with biases, or the gated ones of Pixtral. [weights]"""
    plain = norm == "layer"
    return Transformer(
        "", "", v["num_hidden_layers"], v["hidden_size"], v["num_attention_heads"], v["num_attention_heads"],
        v["head_dim"], v["intermediate_size"], 0, gated=not plain, linear_bias=plain, norm=norm, final_norm=final_norm,
        positions=positions,
    ).counted_params  # fmt: skip


def _patches(v: Values) -> int:
    return int((v["image_size"] // v["patch_size"]) ** 2)


def _patch_params(v: Values) -> int:
    return int(v["hidden_size"] * CHANNELS * v["patch_size"] ** 2)


def clip(v: Values) -> int:
    """A class vector before the patches, and norms at both ends."""
    return _patch_params(v) + 3 * int(v["hidden_size"]) + _encoder(v, _patches(v) + 1)


def siglip(v: Values) -> int:
    """Biased patches; with `vision_use_head` one attention layer pools them."""
    h, f = int(v["hidden_size"]), int(v["intermediate_size"])
    head = h + 4 * h * (h + 1) + 2 * h + 2 * h * f + f + h if v["vision_use_head"] else 0
    return _patch_params(v) + h + _encoder(v, _patches(v)) + head


def pixtral(v: Values) -> int:
    """Rotary positions, gated layers without biases, a norm at the start only."""
    return _patch_params(v) + int(v["hidden_size"]) + _encoder(v, 0, norm="rms", final_norm=False)


TOWERS: Mapping[str, Tower] = {
    "clip_vision_model": Tower({**TOWER, "patch_size": 32, "head_dim": HEAD_DIM}, clip),
    "siglip_vision_model": Tower({**TOWER, "patch_size": 16, "head_dim": HEAD_DIM, "vision_use_head": True}, siglip),
    "pixtral": Tower(
        {"hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 24, "num_attention_heads": 16,
         "patch_size": 16, "image_size": 1024, "head_dim": HEAD_DIM},
        pixtral,
    ),
}  # fmt: skip


def _mlp(v: Values, image: int, text: int) -> int:
    bias = 2 * text if v["multimodal_projector_bias"] else 0
    return image * text + text * text + bias


def _patch_merger(v: Values, image: int, text: int) -> int:
    return _mlp(v, image, text) + image + image * image * int(v["spatial_merge_size"]) ** 2


LLAVA = {"multimodal_projector_bias": True, "vision_feature_layer": -2}
CLIP = "clip_vision_model"
SIGLIP = "siglip_vision_model"

WRAPPERS: Mapping[str, Wrapper] = {
    "llava": Wrapper("llama", CLIP, _mlp, LLAVA),
    "llava_next": Wrapper("llama", CLIP, lambda v, image, text: _mlp(v, image, text) + text, LLAVA),
    "gemma3": Wrapper("gemma3_text", SIGLIP, lambda v, image, text: image * text + image, {}),
    "paligemma": Wrapper(
        "gemma", SIGLIP, lambda v, image, text: (image + 1) * int(v["projection_dim"]), {"projection_dim": 2048}
    ),
    "mistral3": Wrapper(
        "mistral", "pixtral", _patch_merger,
        {"multimodal_projector_bias": False, "spatial_merge_size": 2, "vision_feature_layer": -1},
    ),
}  # fmt: skip


def with_images(text: Transformer, tower: int, projector: int) -> Transformer:
    """The text decoder with what reads images beside it."""
    rows = (
        whole_part("image_tower", tower, "patches + L·layer"),
        whole_part("projector", projector, "image to text width"),
    )
    return replace(text, extra=text.extra + rows)
