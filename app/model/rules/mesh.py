"""Rules on how GPUs share the work: tensor, pipeline, data and context parallelism, and their links."""

from app.model.design import Design
from app.model.path import why_unsplit
from app.model.phrases import listed, nodes, number, one_replica, sequences, share, size, some, span
from app.model.rules.claim import Claim, Said
from app.model.units import grouped


def _tensor(design: Design) -> Said:
    layout, step = design.layout, design.step
    if layout.tensor == 1:
        return 0.0, why_unsplit(design, "tensor", "every layer fits one GPU")
    sent, seconds = step.communication_bytes.tensor, step.communication_seconds.tensor
    effect = f"{some(layout.tensor, 'GPU')} share each layer: {size(sent)} a GPU and step, {span(seconds)}"
    return 0.6 + 0.3 * step.tensor_exposed_seconds / step.seconds, effect


def _stages(design: Design) -> Said:
    layout, step = design.layout, design.step
    if layout.pipeline == 1:
        return 0.0, why_unsplit(design, "pipeline", "one stage holds all layers")
    effect = (
        f"{some(layout.pipeline, 'stage')} pass on {some(layout.microbatches, 'micro-batch', 'micro-batches')}: "
        f"{size(step.communication_bytes.pipeline)} a GPU and step"
    )
    return 0.6, effect


def _compose(design: Design) -> Said:
    layout = design.layout
    sizes = [layout.tensor, layout.pipeline, *([layout.context] if layout.context > 1 else []), layout.data]
    product = " × ".join(grouped(n) for n in sizes)
    effect = f"{product} = {some(layout.gpus_used, 'GPU')}"
    above = sum(n > 1 for n in sizes)
    return (0.5 + 0.1 * above, effect) if above > 1 else (0.0, f"{effect}: at most one kind is in use")


def _in_node(design: Design) -> Said:
    layout, node = design.layout, design.workload.gpus_per_node
    if layout.tensor * layout.pipeline == 1:
        return 0.0, "no layer and no depth is split"
    fast = number(design.accelerator.link_bytes_per_s / 1e9)
    slow = number(design.workload.link_gb_per_s)
    where = "inside" if layout.tensor <= node else "beyond"
    return 0.75, f"tensor {layout.tensor} stays {where} nodes of {grouped(node)}: {fast} GB/s inside, {slow} across"


def _just_enough(design: Design) -> Said:
    layout, memory = design.layout, design.memory
    if layout.gpus_used == 1:
        return 0.0, "one GPU: nothing to split and nothing to spread"
    if layout.data == 1:
        return 0.0, "one replica takes every GPU"
    if not memory.fits:
        return 0.0, "nothing fits yet"
    fit = f"t·p·c = {grouped(one_replica(design))} fits in {size(memory.total_bytes)} of {size(memory.usable_bytes)}"
    return 0.65, f"{fit}; the other factor, {grouped(layout.data)}, is data parallel"


def _bubble(design: Design) -> Said:
    layout, pipe = design.layout, design.pipeline
    if layout.pipeline == 1:
        return 0.0, "one stage: no bubble"
    m = grouped(layout.microbatches)
    below = m if layout.chunks == 1 else f"({layout.chunks} × {m})"
    bubble = f"({layout.pipeline} − 1) ÷ {below} = {share(pipe.bubble_over_ideal)}"
    effect = f"{bubble} of the ideal time, {share(pipe.idle_fraction)} of pipeline time"
    return 0.5 + 0.5 * pipe.idle_fraction, effect


def _interleave(design: Design) -> Said:
    layout = design.layout
    if layout.pipeline == 1:
        return 0.0, "one stage: nothing to interleave"
    plain = (layout.pipeline - 1) / layout.microbatches
    if layout.chunks == 1:
        return 0.0, f"1 chunk on each stage: the bubble stays {share(plain)}"
    bubble = share(design.pipeline.bubble_over_ideal)
    return 0.45, f"{layout.chunks} chunks: {share(plain)} ÷ {layout.chunks} = {bubble}"


def _context(design: Design) -> Said:
    tokens, c = design.workload.seq_tokens, design.layout.context
    if c == 1:
        return 0.0, f"{grouped(tokens)} tokens: each GPU takes whole sequences"
    return 0.7, f"{grouped(tokens)} ÷ {c} = {grouped(tokens / c)} tokens a GPU"


def _order(design: Design) -> Said:
    layout, sent = design.layout, design.step.communication_bytes
    parts = [
        f"{name} {size(value)}"
        for name, members, value in (
            ("tensor", layout.tensor, sent.tensor),
            ("context", layout.context, sent.context),
            ("pipeline", layout.pipeline, sent.pipeline),
            ("data", layout.data, sent.data_parallel),
        )
        if members > 1
    ]
    if len(parts) < 2:
        return 0.0, "fewer than two kinds of exchange to order"
    return 0.4, f"a GPU and step: {listed(parts)}"


def _all_reduce(design: Design) -> Said:
    layout = design.layout
    n = layout.data * layout.context
    if n == 1:
        return 0.0, "one replica: no all-reduce"
    step = design.step
    shown = step.data_parallel_exposed_seconds / step.seconds
    factor = number(round(2 * (n - 1) / n, 3))
    return 0.15 + 0.5 * shown, f"2 × {grouped(n - 1)} ÷ {grouped(n)} = {factor}: more replicas hardly add traffic"


def _fixed_batch(design: Design) -> Said:
    layout = design.layout
    if layout.data == 1:
        return 0.0, "one replica works on the whole batch"
    each = sequences(design) / layout.data
    if each < 2:
        return 0.6, "hardly more than one sequence a replica: twice the GPUs would find no work"
    effect = f"{number(each)} sequences a replica now; twice the GPUs would leave {number(each / 2)}"
    return (0.5 if each <= 32 else 0.25), effect


def _slowest(design: Design) -> Said:
    machines = nodes(design)
    slow = 0.005 * machines
    if slow < 1:
        return 0.0, f"{some(machines, 'node')}: at 0.5 % fewer than one is slow"
    return 0.4, f"{some(machines, 'node')} in step: at 0.5 % about {grouped(round(slow))} slow, and all others wait"


def _expert_nodes(design: Design) -> Said:
    layout, step = design.layout, design.step
    if layout.expert == 1:
        return 0.0, "no experts" if not design.model.experts else "each GPU holds every expert"
    shown = step.expert_exposed_seconds / step.seconds
    sent = size(step.communication_bytes.expert)
    return 0.4 + shown, f"experts over {some(layout.expert, 'GPU')}: {sent} a GPU and step, {share(shown)} of its time"


CLAIMS = (
    Claim(
        "tensor-splits-layers", "Tensor parallelism cuts each layer's matrices, at two all-reduces a layer and pass.",
        "megatron1", "section 3", _tensor,
    ),
    Claim(
        "pipeline-splits-depth", "Pipeline stages hold consecutive layers and stream micro-batches between them.",
        "gpipe", "section 2", _stages,
    ),
    Claim(
        "parallelism-multiplies", "Tensor, pipeline and data parallelism compose to thousands of GPUs: p·t·d = n.",
        "narayanan21", "sections 2 and 3.1", _compose,
    ),
    Claim(
        "tensor-inside-node", "Use tensor parallelism up to the size of a server, then pipeline stages across.",
        "narayanan21", "section 3.2, takeaway 1", _in_node,
    ),
    Claim(
        "just-enough-splitting", "Split the model just enough to fit, then scale out with data parallelism.",
        "narayanan21", "section 3.3, takeaway 2", _just_enough,
    ),
    Claim(
        "pipeline-bubble", "The pipeline bubble costs (p − 1) ÷ m of the ideal time.",
        "narayanan21", "section 2.2.1", _bubble,
    ),
    Claim(
        "interleaving", "v interleaved chunks divide the bubble by v and multiply its traffic by v.",
        "narayanan21", "section 2.2.2", _interleave,
    ),
    Claim(
        "long-context", "Long sequences are split: Llama 3 used 16 GPUs for each 131\u202f072 tokens.",
        "llama3", "section 3.3.2, table 4", _context,
    ),
    Claim(
        "order-by-bandwidth", "Order the splits by the bandwidth they need: tensor, context, pipeline, data.",
        "llama3", "section 3.3.2", _order,
    ),
    Claim(
        "all-reduce-volume", "An all-reduce sends 2(n − 1) ÷ n of the buffer, whatever the algorithm.",
        "nccltests", "PERFORMANCE.md", _all_reduce,
    ),
    Claim(
        "fixed-batch", "Twice the GPUs at a fixed batch took Llama 3 from 43 to 41 % MFU.",
        "llama3", "section 3.3.2, table 4", _fixed_batch,
    ),
    Claim(
        "slowest-sets-pace", "The slowest machine sets the pace of all; about 0.5 % are slow.",
        "megascale", "section 5.1", _slowest,
    ),
    Claim(
        "expert-nodes", "Sending a token to few nodes lets expert exchange hide behind computing.",
        "dsv3", "section 2.1.2", _expert_nodes,
    ),
)  # fmt: skip
