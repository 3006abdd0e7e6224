"""Bytes and seconds of the exchanges between GPUs."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from app.model.calibration import TIME


@dataclass(frozen=True)
class Links:
    """What joins the GPUs: the fast link inside a node, one network port a GPU across."""

    fast_bytes_per_s: float
    slow_bytes_per_s: float
    gpus_per_node: int


def allreduce_bytes(buffer_bytes: Any, members: Any) -> Any:
    """What each GPU sends in an all-reduce. [bytes]

    buffer_bytes: size of the summed buffer [bytes]
    members: GPUs in the group n [-]

    2·(n − 1) ÷ n of the buffer: a reduce-scatter and an all-gather.
    Source: nccl-tests, doc/PERFORMANCE.md; ZeRO, arXiv:1910.02054, section 7.1.
    Limits: ring or any other bandwidth-optimal form; no reduction inside the switch.

    >>> allreduce_bytes(8e9, 8)
    14000000000.0
    """
    return 2 * gather_bytes(buffer_bytes, members)


def gather_bytes(buffer_bytes: Any, members: Any) -> Any:
    """What each GPU sends in an all-gather or a reduce-scatter. [bytes]

    (n − 1) ÷ n of the whole buffer.
    Source: nccl-tests, doc/PERFORMANCE.md.
    Limits: bandwidth-optimal form.

    >>> gather_bytes(8e9, 8)
    7000000000.0
    """
    return buffer_bytes * (members - 1) / members


def bus_bytes_per_s(links: Links, members: Any, inner: Any) -> Any:
    """Rate at which a group moves data, per GPU. [bytes/s]

    members: GPUs in the group [-]
    inner: GPUs of parallel groups that sit closer together than this one's neighbours [-]

    Inside a node: the fast link. Across: the q members in each node share q network ports, and
    the ring is no faster than the fast link.
    Source: measured shares in `calibration.yaml`; rails as in NCCL's rings.
    Limits: a network without oversubscription.

    >>> bus_bytes_per_s(Links(450e9, 50e9, 8), 8, 1) == TIME["fast_link"] * 450e9
    np.True_
    >>> bus_bytes_per_s(Links(450e9, 50e9, 8), 16, 8) == TIME["slow_link"] * 50e9
    np.True_
    """
    fast = TIME["fast_link"] * links.fast_bytes_per_s
    in_node = np.maximum(1, np.minimum(members, links.gpus_per_node // inner))
    across = np.minimum(fast, in_node * TIME["slow_link"] * links.slow_bytes_per_s)
    return np.where(members * inner <= links.gpus_per_node, fast, across)


def nodes_spanned(links: Links, members: Any, inner: Any) -> Any:
    """Nodes that a group touches, less one: the slow hops of its ring. [-]

    members, inner: as `bus_bytes_per_s` [-]

    Source: a division.
    Limits: nodes filled one after the other.

    >>> float(nodes_spanned(Links(450e9, 50e9, 8), 16, 1))
    1.0
    """
    return np.maximum(0.0, members * inner / links.gpus_per_node - 1)


def exchange_seconds(sent_bytes: Any, bus: Any, starts: Any = 1.0) -> Any:
    """Time of an exchange. [s]

    sent_bytes: what each GPU sends [bytes]
    bus: rate [bytes/s]
    starts: collectives it is made of, each with one latency [-]

    Source: the usual latency and bandwidth line (Hockney 1994).
    Limits: no contention between groups.
    """
    return np.where(sent_bytes > 0, sent_bytes / bus + starts * TIME["latency_seconds"], 0.0)


def all_to_all_seconds(sent_bytes: Any, links: Links, members: Any, inner: Any, copies: Any = 1.0) -> Any:
    """Time in which each GPU sends a different part to every other one. [s]

    sent_bytes: what each GPU hands out, its own part included [bytes]
    members, inner: as `bus_bytes_per_s` [-]
    copies: of each token among what it sends; those for one node cross the network once k [-]

    Of N nodes a token's k experts lie on N·(1 − (1 − 1 ÷ N)^k) on average; one of the N is its own.
    Source: DeepSeek-V3, arXiv:2412.19437, section 3.2.2, for the pattern.
    Limits: balanced experts; routing not limited to some nodes.

    >>> links = Links(450e9, 50e9, 8)
    >>> bool(all_to_all_seconds(1e9, links, 64, 1, copies=8) < all_to_all_seconds(1e9, links, 64, 1))
    True
    """
    in_node = np.maximum(1, np.minimum(members, links.gpus_per_node // inner))
    nodes = members / in_node
    local = sent_bytes * (in_node - 1) / in_node / (TIME["fast_link"] * links.fast_bytes_per_s)
    crossing = (nodes - 1) * (1 - (1 - 1 / nodes) ** copies) / copies
    remote = sent_bytes * crossing / (TIME["slow_link"] * links.slow_bytes_per_s)
    return np.where(members > 1, np.maximum(local, remote) + TIME["latency_seconds"] * (members > 1), 0.0)
