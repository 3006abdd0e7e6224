"""What each diagnosis says: the kind of slip, and one sentence for the candidate."""

from collections.abc import Mapping
from dataclasses import dataclass

from app.model.grading.grader import Verdict


@dataclass(frozen=True)
class Diagnosis:
    """kind: formula, unit, reading (the answer could not be read) or none."""

    kind: str
    text: str


DIAGNOSES: Mapping[str, Diagnosis] = {
    "none": Diagnosis("none", ""),
    "weights_only": Diagnosis("formula", "That is 2 bytes a parameter, the weights alone."),
    "no_optimizer": Diagnosis("formula", "That is 4 bytes a parameter: weights and gradients, no optimizer."),
    "bytes_12": Diagnosis("formula", "That is 12 bytes a parameter, the optimizer alone."),
    "no_gradients": Diagnosis("formula", "That is 14 bytes a parameter: what a checkpoint keeps, without gradients."),
    "bytes_16": Diagnosis("formula", "That is 16 bytes a parameter; a checkpoint leaves the gradients out."),
    "bytes_18": Diagnosis("formula", "That is 18 bytes a parameter, as with 32-bit gradients."),
    "bytes_20": Diagnosis("formula", "That is 20 bytes a parameter, as with gradients in 16 and in 32 bit."),
    "sparse_peak": Diagnosis("formula", "That divides by the peak with sparsity; dense training reaches half of it."),
    "no_mfu": Diagnosis("formula", "That divides by the peak itself; utilization is missing."),
    "sparse_peak_no_mfu": Diagnosis("formula", "That divides by the peak with sparsity, and utilization is missing."),
    "no_tokens": Diagnosis("formula", "The training tokens are missing: that is the work for one token."),
    "recompute_counted": Diagnosis("formula", "That is 8 operations a parameter and token, with recomputed work."),
    "forward_only": Diagnosis("formula", "That is 2 operations a parameter and token, the forward pass alone."),
    "backward_only": Diagnosis("formula", "That is 4 operations a parameter and token, the backward pass alone."),
    "no_six": Diagnosis("formula", "That is one operation a parameter and token."),
    "bubble_base": Diagnosis("formula", "Wrong base: the bubble is over ideal time, the idle share over the step."),
    "no_minus_one": Diagnosis("formula", "That counts all stages; p stages leave p − 1 slots empty."),
    "turned_over": Diagnosis("formula", "That fraction is upside down."),
    "busy_for_idle": Diagnosis("formula", "That is the share of the step that a stage works."),
    "whole_interval": Diagnosis("formula", "That loses the whole interval at each stop; on average it is half."),
    "interval_for_rate": Diagnosis("formula", "Those are the hours between stops, not the stops in a day."),
    "gpus_for_servers": Diagnosis("formula", "That takes servers for GPUs, or GPUs for servers."),
    "one_gpu": Diagnosis("formula", "That is for one GPU; the number of GPUs is missing."),
    "not_sharded": Diagnosis("formula", "That is the whole state, held on every GPU as plain data parallelism does."),
    "world_for_data_parallel": Diagnosis("formula", "That divides by the data-parallel size, not by all GPUs."),
    "zero_1": Diagnosis("formula", "That shards the optimizer alone, as ZeRO stage 1 does."),
    "zero_2": Diagnosis("formula", "That keeps the weights whole on each GPU, as ZeRO stage 2 does."),
    "across_servers": Diagnosis("formula", "That crosses servers: each layer's exchange would run on the slow link."),
    "pipeline_for_tensor": Diagnosis("formula", "That is the number of pipeline stages."),
    "not_rounded_up": Diagnosis("formula", "A part of a GPU is still a GPU: round up."),
    "bits_for_bytes": Diagnosis("unit", "Bits for bytes: off by a factor of 8."),
    "binary_for_decimal": Diagnosis("unit", "1024 and 1000 are mixed: a GiB is 7.4 % more than a GB."),
    "hours_for_days": Diagnosis("unit", "Hours and days are mixed: off by a factor of 24."),
    "minutes_for_seconds": Diagnosis("unit", "Minutes and seconds are mixed: off by a factor of 60."),
    "power_of_ten": Diagnosis("unit", "The digits are right; the power of ten is not."),
    "unit_missing": Diagnosis("reading", "Which unit? Write it behind the number."),
    "wrong_unit": Diagnosis("reading", "That unit measures something else than what is asked."),
    "not_a_number": Diagnosis("reading", "No number could be read here. A rough figure is welcome."),
    "not_positive": Diagnosis("reading", "This is more than nothing: give a number above zero."),
}

_ARITHMETIC = "No usual wrong formula or unit gives this: check the arithmetic."


def explained(verdict: Verdict) -> str:
    """The sentence for a verdict; empty for a right answer."""
    if verdict.diagnosis == "none" and verdict.grade != "full":
        return _ARITHMETIC
    return DIAGNOSES[verdict.diagnosis].text
