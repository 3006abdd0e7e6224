"""Accelerators: the numbers that are easily got wrong, and a source for each."""

import pytest

from app.model.hardware import ACCELERATORS

GIB = 2**30


@pytest.mark.parametrize("id", ACCELERATORS)
def test_every_value_of_an_accelerator_has_a_source(id):
    """No number of an accelerator stands without saying where it comes from and how well it is confirmed."""
    accelerator = ACCELERATORS[id]
    numbers = {n for n, v in vars(accelerator).items() if isinstance(v, float | int)} - {"year"}

    assert numbers == set(accelerator.sources)
    assert set(accelerator.confirmed) == numbers
    assert set(accelerator.confirmed.values()) <= {"yes", "secondary", "derived"}


def test_the_accelerators_that_links_name_exist():
    """Ids that may stand in a shared link never go away."""
    named = "h100-80gb a100-80gb a100-40gb h800-80gb h200-141gb b200-192gb gb200-192gb mi300x-192gb"

    assert set(named.split()) <= set(ACCELERATORS)


@pytest.mark.parametrize(
    ("id", "precision", "dense"),
    [
        pytest.param("h100-80gb", "bf16", 989.4e12, id="H100: sheets print 1979, with sparsity"),
        pytest.param("h100-80gb", "fp8", 1978.9e12, id="H100: sheets print 3958, with sparsity"),
        pytest.param("a100-80gb", "bf16", 312e12, id="A100: sheets print 624, with sparsity"),
        pytest.param("b200-192gb", "bf16", 2250e12, id="B200: sheets print 4500, with sparsity"),
        pytest.param("mi300x-192gb", "fp16", 1307.4e12, id="MI300X: some list its FP8 as FP16"),
    ],
)
def test_peaks_are_dense(id, precision, dense):
    """A peak is what a full matrix gets: sheets print twice that, for one with zeros in set places."""
    assert ACCELERATORS[id].peak_flop_per_s(precision) == dense


@pytest.mark.parametrize("id", ["a100-40gb", "a100-80gb", "v100-32gb"])
def test_fp8_without_a_unit_for_it_is_no_faster_than_bf16(id):
    """Before Hopper there is no FP8 unit, whatever some tables print."""
    accelerator = ACCELERATORS[id]

    assert accelerator.fp8_flop_per_s is None
    assert accelerator.peak_flop_per_s("fp8") == accelerator.peak_flop_per_s("bf16")


def test_fp32_is_the_tf32_rate_where_there_is_one():
    """32-bit matrices run at half the BF16 rate on an A100, through TF32."""
    assert ACCELERATORS["a100-80gb"].peak_flop_per_s("fp32") == 156e12


@pytest.mark.parametrize(
    ("id", "both_directions"),
    [
        ("v100-32gb", 300e9),
        ("a100-80gb", 600e9),
        ("h100-80gb", 900e9),
        ("h800-80gb", 400e9),
        ("b200-192gb", 1800e9),
    ],
)
def test_links_count_one_direction(id, both_directions):
    """A sheet's NVLink figure counts both directions; ours is half of it."""
    assert ACCELERATORS[id].link_bytes_per_s == both_directions / 2


@pytest.mark.parametrize(
    ("id", "gib"),
    [("h100-80gb", 79.10), ("a100-80gb", 79.15), ("h200-141gb", 139.80), ("b200-192gb", 178.35)],
)
def test_usable_memory_is_what_programs_report(id, gib):
    """A process can have the total capacity that PyTorch prints when it runs out, to its two digits."""
    assert ACCELERATORS[id].usable_bytes == pytest.approx(gib * GIB, abs=0.005 * GIB)


@pytest.mark.parametrize("id", ACCELERATORS)
def test_usable_memory_is_near_what_was_sold(id):
    """Sold gigabytes are rounded, and some mean GiB: usable bytes lie from 1 % below to 9 % above them."""
    accelerator = ACCELERATORS[id]

    assert 0.99 <= accelerator.usable_bytes / accelerator.memory_bytes <= 1.09


def test_the_fast_domain_of_a_gb200_is_its_rack():
    """A GB200 tray has 4 GPUs, yet 72 of them share one NVLink domain."""
    assert ACCELERATORS["gb200-192gb"].gpus_per_node == 72


def test_a_price_that_nobody_quotes_is_none():
    """An accelerator without a sourced price has none."""
    assert ACCELERATORS["v100-32gb"].gpu_hour_price is None


def test_an_unknown_precision_is_refused():
    """A number format that we have no peak for is an error, not a guess."""
    with pytest.raises(KeyError, match="int4"):
        ACCELERATORS["h100-80gb"].peak_flop_per_s("int4")
