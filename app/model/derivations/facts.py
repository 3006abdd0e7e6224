"""What the derivations put into their formulas: one design, and the numbers behind it."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from app.model.collectives import Links
from app.model.compute import Chip, LayerTime, chip_of, layer_seconds
from app.model.derivations.record import Term, engine, listed_value, setting, verified
from app.model.design import Design
from app.model.exchanges import links_of
from app.model.layout import RECOMPUTE, Layout, sequences
from app.model.memory import BytesPerParam, StageLoad, bytes_per_param, stage_load, stage_params, stages
from app.model.own_run import own_stack
from app.model.phrases import some
from app.model.transformer import given_model


@dataclass(frozen=True)
class Facts:
    """A design with what several derivations need of it."""

    design: Design

    @cached_property
    def x(self) -> Layout:
        a = self.design.layout
        return Layout(
            a.tensor, a.pipeline, a.context, a.expert, a.data, a.zero_stage, a.micro_batch, a.chunks,
            RECOMPUTE.index(a.recompute), a.microbatches,
        )  # fmt: skip

    @cached_property
    def sequences(self) -> int:
        return sequences(self.design.workload)

    @property
    def step_tokens(self) -> float:
        return self.sequences * self.design.workload.seq_tokens

    @property
    def micro_tokens(self) -> float:
        """Tokens that one GPU works on at once."""
        return float(self.x.micro_batch * self.design.workload.seq_tokens / self.x.context)

    @cached_property
    def chip(self) -> Chip:
        return chip_of(self.design.workload, own_stack(self.design.workload))

    @cached_property
    def links(self) -> Links:
        return links_of(self.design.workload)

    @property
    def each(self) -> BytesPerParam:
        return bytes_per_param(self.design.workload.bytes_per_param, self.design.workload.precision)

    @property
    def trained(self) -> float:
        return float(self.design.workload.trained_params / self.design.workload.params)

    @cached_property
    def fullest(self) -> StageLoad:
        return stage_load(self.design.model, self.x.pipeline, self.design.memory.fullest_stage)

    @cached_property
    def gpu_params(self) -> tuple[float, float]:
        """Weights on the fullest GPU before ZeRO: those that all share, and those of experts."""
        shared, experts = stage_params(self.design.model, self.fullest, self.x)
        return float(shared), float(experts)

    @cached_property
    def end_params(self) -> tuple[float, float]:
        """Weights on a GPU of the first or the last stage, whichever has more: shared, and of experts."""
        first, _, last = stages(self.design.model, self.x.pipeline)
        pairs = zip(*(stage_params(self.design.model, s, self.x) for s in (first, last)), strict=True)
        shared, experts = (float(np.maximum(a, b)) for a, b in pairs)
        return shared, experts

    @property
    def layers(self) -> int:
        """Layers that exchange on one GPU in each micro-batch."""
        return max(1, -(-self.design.model.layers // self.design.layout.pipeline))

    @property
    def passes(self) -> int:
        return 3 if self.design.layout.recompute == "full" else 2

    @property
    def time(self) -> float:
        """The stack's multiplier of time."""
        return self.chip.stack.time

    @cached_property
    def layer(self) -> LayerTime:
        """A layer of the mean kind, on one micro-batch."""
        model, w = self.design.model, self.design.workload
        kinds = [(False, model.plain_layers / model.layers), (True, model.moe_layers / model.layers)]
        found = [(share, layer_seconds(w, model, self.chip, self.x, moe)) for moe, share in kinds if share]
        names = ("forward", "backward", "recomputed", "attention_forward")
        return LayerTime(*(float(sum(share * getattr(t, n) for share, t in found)) for n in names))

    @property
    def nodes(self) -> float:
        return max(1.0, self.design.layout.gpus_used / self.links.gpus_per_node)

    # Terms that many formulas share.

    def active(self) -> Term:
        model = self.design.model
        meaning = "parameters that each token uses" if model.experts else "parameters"
        return self._params("N", meaning, model.active_params)

    def params(self) -> Term:
        return self._params("N", "parameters", self.design.workload.params)

    def _params(self, name: str, meaning: str, value: float) -> Term:
        if given_model(self.design.workload):
            return listed_value(name, meaning, value, "", "model configuration")
        return setting(name, meaning, value)

    def tokens_of_step(self) -> Term:
        return setting("T", "tokens of one step", self.step_tokens, "tokens", some(self.sequences, "sequence"))

    def seconds(self) -> Term:
        return engine("s", "seconds of one step", self.design.step.seconds, "s", "step.seconds")

    def gpus(self) -> Term:
        return setting("G", "GPUs", self.design.workload.gpus)

    def peak(self) -> Term:
        precision = self.design.workload.precision
        gpu = self.design.accelerator
        key = {"fp32": "fp32", "fp8": "fp8" if gpu.fp8_flop_per_s else "bf16"}.get(precision, "bf16")
        note = gpu.sources.get(f"{key}_flop_per_s", "")
        meaning = f"dense {precision} peak of one {gpu.name}"
        return listed_value("P", meaning, gpu.peak_flop_per_s(precision), "FLOP/s", note)

    def sequence(self) -> Term:
        return setting("S", "tokens in a sequence", self.design.workload.seq_tokens, "tokens")

    def depth(self) -> Term:
        return self._shape("L", "layers", self.design.model.layers)

    def query_width(self) -> Term:
        return self._shape("q", "width of all query heads", self.design.model.q_width)

    def width(self) -> Term:
        return self._shape("h", "width of the model", self.design.model.hidden)

    def _shape(self, name: str, meaning: str, value: float) -> Term:
        if given_model(self.design.workload):
            return listed_value(name, meaning, value, "", "model configuration")
        return engine(name, meaning, value, "", note="standard shape for this count")

    def size(self, name: str, part: str, meaning: str) -> Term:
        """One size of the layout, chosen or set."""
        term = engine(name, meaning, getattr(self.design.layout, part), "", f"layout.{part}")
        return replace(term, kind="setting") if part in self.design.workload.fixed_layout() else term

    def six(self) -> Term:
        return verified("6", "FLOP of a weight and token: 2 forward, 4 backward", 6, "FLOP", "kaplan", "section 2.1")
