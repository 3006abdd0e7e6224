"""app/model/collectives.py: bytes against a ring played step by step, and links."""

import numpy as np
import pytest

from app.model.calibration import TIME
from app.model.collectives import (
    Links,
    all_to_all_seconds,
    allreduce_bytes,
    bus_bytes_per_s,
    exchange_seconds,
    gather_bytes,
)

H100 = Links(fast_bytes_per_s=450e9, slow_bytes_per_s=50e9, gpus_per_node=8)


def ring_allreduce(members: int, chunks: int) -> tuple[np.ndarray, float]:
    """Sums one vector over a ring, chunk by chunk; returns every rank's result and chunks sent by each."""
    data = [np.arange(chunks) * 1.0 + rank for rank in range(members)]
    parts = np.array_split(np.arange(chunks), members)
    sent = 0
    for round_ in range(2 * (members - 1)):
        moves = []
        for rank in range(members):
            part = parts[(rank - round_) % members]
            moves.append(((rank + 1) % members, part, data[rank][part].copy()))
        for target, part, values in moves:
            data[target][part] = data[target][part] + values if round_ < members - 1 else values
        sent += len(parts[0])
    return np.stack(data), sent


@pytest.mark.parametrize("members", [2, 4, 8])
def test_bytes_of_an_allreduce_are_those_of_a_ring(members):
    """2·(n − 1) ÷ n of the buffer leave each GPU, and all end with the sum."""
    result, sent = ring_allreduce(members, 64)

    assert (result == np.arange(64) * members + sum(range(members))).all()
    assert sent == allreduce_bytes(64, members)


def test_a_gather_is_half_an_allreduce():
    """nccl-tests, doc/PERFORMANCE.md."""
    assert 2 * gather_bytes(1e9, 8) == allreduce_bytes(1e9, 8)


def test_one_gpu_exchanges_nothing():
    """No bytes, no latency."""
    assert exchange_seconds(allreduce_bytes(1e9, 1), 1e9) == 0


def test_a_group_across_nodes_is_slower_than_one_inside():
    """With tensor groups filling the nodes each replica group has one port a GPU."""
    assert bus_bytes_per_s(H100, 16, 8) < bus_bytes_per_s(H100, 8, 1)


def test_a_ring_over_whole_nodes_uses_all_their_ports():
    """Eight ports together outrun the fast link's achieved share, which then limits."""
    assert bus_bytes_per_s(H100, 64, 1) == bus_bytes_per_s(H100, 8, 1)
    assert bus_bytes_per_s(Links(450e9, 5e9, 8), 64, 1) == pytest.approx(8 * TIME["slow_link"] * 5e9)


def test_an_all_to_all_inside_a_node_leaves_the_network_alone():
    """Its time does not depend on the slow link."""
    slow = Links(450e9, 1e9, 8)

    assert all_to_all_seconds(1e9, slow, 8, 1) == all_to_all_seconds(1e9, H100, 8, 1)
    assert all_to_all_seconds(1e9, slow, 64, 1) > all_to_all_seconds(1e9, H100, 64, 1)
