"""app/model/layout.py: the mesh of all legal layouts."""

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings

from app.model.layout import Layout, all_layouts, sequences
from app.model.transformer import transformer_for
from app.model.workload import Workload
from tests.workloads import workloads


def mesh_of(workload: Workload):
    resolved = workload.resolved()
    return all_layouts(resolved, transformer_for(resolved))


def columns(mesh) -> dict[str, np.ndarray]:
    return {f.name: np.broadcast_to(getattr(mesh.columns, f.name), mesh.shape)[mesh.legal] for f in fields(Layout)}


@settings(max_examples=60, deadline=None)
@given(workloads)
def test_no_legal_layout_uses_more_gpus_than_there_are(workload):
    """tensor × pipeline × context × data ≤ gpus."""
    c = columns(mesh_of(workload))

    assert (c["tensor"] * c["pipeline"] * c["context"] * c["data"] <= workload.gpus).all()


@settings(max_examples=60, deadline=None)
@given(workloads)
def test_every_legal_layout_works_through_the_whole_batch(workload):
    """data × micro-batch × micro-batches covers all sequences, with less than one round to spare."""
    c = columns(mesh_of(workload))
    once = c["data"] * c["micro_batch"]

    assert (once * c["microbatches"] >= sequences(workload)).all()
    assert (once * (c["microbatches"] - 1) < sequences(workload)).all()


@pytest.mark.parametrize("gpus", [1, 7, 97, 1009, 65_537, 1_000_000])
def test_every_gpu_count_has_a_layout(gpus):
    """Prime ones too."""
    assert mesh_of(Workload(gpus=gpus)).legal.any()


def test_data_parallel_size_is_what_is_left_of_the_world():
    """10 nodes of 8 GPUs at tensor × pipeline = 4 leave 20 replicas (NVIDIA/Megatron-LM issue 495)."""
    c = columns(mesh_of(Workload(gpus=80, tensor=2, pipeline=2, context=1, batch_tokens=3840 * 4096, micro_batch=4)))

    assert set(c["data"]) == {20}
    assert set(c["microbatches"]) == {48}


def test_tensor_parallelism_stays_in_the_node():
    """The search splits no layer over more GPUs than the fast link joins."""
    assert columns(mesh_of(Workload(params=1e12, gpus=4096)))["tensor"].max() == 8


def test_without_splitting_only_data_parallelism_is_left():
    """split_model=false leaves tensor and pipeline at 1."""
    c = columns(mesh_of(Workload(params=70e9, gpus=512, split_model=False)))

    assert set(c["tensor"]) == set(c["pipeline"]) == {1}


def test_a_stack_without_sharding_keeps_every_replica_whole():
    """Megatron-LM of 2021 has no ZeRO to choose from; later ones do."""
    old = columns(mesh_of(Workload(model="megatron-1t", gpus=3072, stack="megatron-2021")))
    later = columns(mesh_of(Workload(model="megatron-1t", gpus=3072, stack="megatron-2022")))

    assert (set(old["zero_stage"]), set(later["zero_stage"])) == ({0}, {0, 1, 2, 3})


def test_expert_groups_divide_the_replicas():
    """Each expert group is made of whole data × context ranks."""
    c = columns(mesh_of(Workload(model="deepseek-v3", gpus=2048)))

    assert (c["data"] * c["context"] % c["expert"] == 0).all()
    assert c["expert"].max() > 1


def test_one_layout_of_the_mesh_is_what_its_columns_say():
    """`at` picks the same cell from every column."""
    mesh = mesh_of(Workload(params=70e9, gpus=512))
    index = int(np.flatnonzero(mesh.legal)[-1])
    one = mesh.columns.at(index, mesh.shape)

    for f in fields(Layout):
        assert getattr(one, f.name) == np.broadcast_to(getattr(mesh.columns, f.name), mesh.shape).flat[index]
