"""Reads a Hugging Face `config.json`: which model it describes, and what was assumed where it says nothing."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.formats.decoder import decoder
from app.formats.families import FAMILIES
from app.formats.family import Family
from app.formats.hybrid import HYBRIDS, hybrid
from app.formats.keys import FormatError, Values, resolve, short
from app.formats.vision import TOWERS, WRAPPERS, with_images
from app.model.architecture import Transformer
from app.model.model_parts import Architecture

__all__ = ["KNOWN_TYPES", "FormatError", "Reading", "read_config"]

MAX_BYTES = 1_000_000
KNOWN_TYPES = tuple(sorted({*FAMILIES, *HYBRIDS, *WRAPPERS}))
FILE = "config.json"
CAUSAL_ENDINGS = ("ForCausalLM", "LMHeadModel", "ForConditionalGeneration", "ChatGLMModel")


@dataclass(frozen=True)
class Reading:
    """What a file describes: a Transformer, or an Architecture that is counted and not timed.

    filled: one text for each key that the file leaves out, with the value taken and why
    notes: what the counts leave out or take for granted
    """

    model: Transformer | Architecture
    model_type: str
    filled: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def time_predictable(self) -> bool:
        return not self.model.untimed


def read_config(text: str | bytes) -> Reading:
    """The model that the text of a `config.json` describes.

    Raises FormatError, whose `problem` names the field, its value and what to do.
    """
    try:
        return _read(_parsed(text))
    except RecursionError:
        raise FormatError(FILE, "is nested too deeply: give the file as its makers published it") from None


def _parsed(text: str | bytes) -> dict[str, Any]:
    if len(text) > MAX_BYTES:
        raise FormatError(FILE, f"is larger than {MAX_BYTES // 1000} kB: give the configuration, not the weights")
    try:
        found = json.loads(text.decode("utf-8-sig") if isinstance(text, bytes) else text.removeprefix("\ufeff"))
    except ValueError as error:
        raise FormatError(FILE, f"is not JSON ({short(str(error), 80)}): paste the whole file") from None
    if type(found) is not dict:
        raise FormatError(FILE, "is not a JSON object: paste the whole file, from { to }", found)
    return found


def _read(config: dict[str, Any]) -> Reading:
    kind = _model_type(config)
    name = _name(config, kind)
    model, filled = _counted(config, kind, name)
    return Reading(model, kind, filled, _notes(config, kind))


def _model_type(config: Mapping[str, Any]) -> str:
    kind = config.get("model_type")
    if not isinstance(kind, str):
        raise FormatError(
            "model_type", f'{"is missing" if kind is None else "is not a text"}: add it, as in "llama"', kind or ""
        )
    if kind not in KNOWN_TYPES:
        known = ", ".join(KNOWN_TYPES)
        raise FormatError(
            "model_type",
            f"{short(kind)!r} is not known here, so its parameters cannot be counted. Known: {known}",
            kind,
        )
    return kind


def _name(config: Mapping[str, Any], kind: str) -> str:
    """The last part of the path under which the file was saved, else its type."""
    path = config.get("_name_or_path")
    last = path.rstrip("/").rpartition("/")[2] if isinstance(path, str) else ""
    return last if 0 < len(last) <= 80 and last.isprintable() else kind


def _counted(config: Mapping[str, Any], kind: str, name: str) -> tuple[Transformer | Architecture, tuple[str, ...]]:
    if kind in WRAPPERS:
        return _with_images(config, kind, name)
    if kind in FAMILIES:
        return _decoded(config, kind, name)
    values, filled = _resolved(config, kind, HYBRIDS[kind].family)
    return hybrid(values, HYBRIDS[kind], name), filled


def _decoded(config: Mapping[str, Any], kind: str, name: str) -> tuple[Transformer, tuple[str, ...]]:
    values, filled = _resolved(config, kind, FAMILIES[kind])
    return decoder(values, FAMILIES[kind], name), filled


def _resolved(config: Mapping[str, Any], kind: str, family: Family) -> tuple[Values, tuple[str, ...]]:
    """Values and defaults taken; refused where the type would build something that is not counted here."""
    values, filled = resolve(config, kind, family.defaults)
    for key, only in {"is_encoder_decoder": False, "add_cross_attention": False, **family.must}.items():
        given = values.get(key, config.get(key, only))
        if given != only:
            said = short(json.dumps(given))
            raise FormatError(
                key, f"is {said}: {kind} is counted only with {json.dumps(only)}, so this file is refused", said
            )
    return values, filled


def _with_images(config: Mapping[str, Any], kind: str, name: str) -> tuple[Transformer, tuple[str, ...]]:
    """A text decoder with an image tower; the text's own keys win over the wrapper's."""
    rules = WRAPPERS[kind]
    text, image = _object(config, "text_config"), _object(config, "vision_config")
    text_kind = _inner_type("text_config", text, rules.text, FAMILIES)
    tower_kind = _inner_type("vision_config", image, rules.tower, TOWERS)
    tied = {key: config[key] for key in ("tie_word_embeddings",) if key in config}
    model, filled = _decoded(tied | text, text_kind, name)
    seen, seen_filled = resolve(image, tower_kind, TOWERS[tower_kind].defaults)
    own, own_filled = resolve(config, kind, rules.defaults)
    projector = rules.projector(own, seen["hidden_size"], model.hidden)
    filled = (*(f"text_config.{f}" for f in filled), *(f"vision_config.{f}" for f in seen_filled), *own_filled)
    return with_images(model, TOWERS[tower_kind].params(seen), projector), filled


def _inner_type(where: str, inner: Mapping[str, Any], default: str, known: Mapping[str, Any]) -> str:
    kind = inner.get("model_type", default)
    if not isinstance(kind, str) or kind not in known:
        raise FormatError(f"{where}.model_type", f"is {short(kind)}: counted are {', '.join(known)}", kind)
    return kind


def _object(config: Mapping[str, Any], key: str) -> dict[str, Any]:
    found = config.get(key)
    if type(found) is not dict:
        wrong = "is missing" if found is None else "is not an object"
        raise FormatError(key, f"{wrong}: give the configuration of that part", "" if found is None else found)
    return found


def _notes(config: Mapping[str, Any], kind: str) -> tuple[str, ...]:
    """What the counts leave out or take for granted, for a reader to judge."""
    notes = []
    ahead = config.get("num_nextn_predict_layers") or config.get("num_mtp_modules")
    if ahead:
        notes.append(
            f"Counts are of the main model: its {short(ahead)} layers that predict further tokens are left out."
        )
    if _slides(_object(config, "text_config") if kind in WRAPPERS else config):
        notes.append("Some layers attend within a sliding window; their attention is counted over the whole sequence.")
    if kind in WRAPPERS:
        notes.append("The image tower is in the counts and the state; the time is that of the text decoder.")
    built = config.get("architectures")
    if isinstance(built, list) and built and not str(built[0]).endswith(CAUSAL_ENDINGS):
        notes.append(f"The file builds {short(built[0])}; counted is the language model of type {kind}, with its head.")
    return tuple(notes)


def _slides(config: Mapping[str, Any]) -> bool:
    types = config.get("layer_types")
    if isinstance(types, list):
        return "sliding_attention" in types
    return bool(config.get("sliding_window")) and config.get("use_sliding_window", True) is not False
