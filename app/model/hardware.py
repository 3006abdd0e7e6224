"""Accelerators: peaks, memory and links, read from data files with a source for each value."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from pydantic import TypeAdapter

from app.model.sources import rows


@dataclass(frozen=True)
class Accelerator:
    """One accelerator as software sees it.

    generation: key of the calibration table
    memory_bytes: as sold (80e9 for 80 GB)
    usable_bytes: what the driver gives out; may exceed `memory_bytes`, as sold GB are nearly GiB
    link_bytes_per_s: of one accelerator inside the fast domain, one direction
    gpus_per_node: accelerators joined by that link
    sources: value name to where it stands; confirmed: value name to yes, secondary or derived
    """

    id: str
    name: str
    vendor: str
    year: int
    generation: str
    bf16_flop_per_s: float
    fp32_flop_per_s: float
    memory_bytes: float
    usable_bytes: float
    memory_bytes_per_s: float
    link_bytes_per_s: float
    gpus_per_node: int
    sources: Mapping[str, str]
    confirmed: Mapping[str, str]
    fp8_flop_per_s: float | None = None
    gpu_hour_price: float | None = None

    def peak_flop_per_s(self, precision: str) -> float:
        """Dense peak of matrix multiplication in `precision`. [FLOP/s]

        bf16 and fp16 share one rate (the V100 has only fp16); fp8 falls back to it where there is no
        such unit; fp32 is the TF32 tensor rate where there is one, else true fp32.
        Source: `sources`, value by value.
        Limits: without structured sparsity; a real multiplication reaches 50 to 80 %.
        """
        peaks = {
            "bf16": self.bf16_flop_per_s,
            "fp16": self.bf16_flop_per_s,
            "fp8": self.fp8_flop_per_s or self.bf16_flop_per_s,
            "fp32": self.fp32_flop_per_s,
        }
        return peaks[precision]


def _accelerators() -> dict[str, Accelerator]:
    read = TypeAdapter(Accelerator).validate_python
    values = rows("accelerator_values.csv")
    found = {}
    for row in rows("accelerators.csv"):
        own = [value for value in values if value["accelerator"] == row["id"]]
        numbers = {value["quantity"]: value["value"] for value in own}
        columns = {name: {v["quantity"]: v[column] for v in own} for name, column in COLUMNS.items()}
        found[row["id"]] = read(row | numbers | columns)
    return found


COLUMNS = {"sources": "source", "confirmed": "confirmed"}
ACCELERATORS: Mapping[str, Accelerator] = MappingProxyType(_accelerators())
