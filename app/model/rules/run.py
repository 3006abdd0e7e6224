"""Rules on the whole run: work, tokens, speed, failures, checkpoints, data."""

from app.model.design import Design
from app.model.phrases import (
    interval,
    number,
    rate,
    set_span,
    share,
    size,
    span,
    step_tokens,
    stops_in_run,
)
from app.model.rules.claim import Claim, Said
from app.model.units import count, grouped, power, significant

TOKENS_PER_PARAM = 20
"""Chinchilla: 1.4T tokens for 70B parameters."""
UNPLANNED, HARDWARE, BY_HAND = 419, 0.78, 3
"""Llama 3, section 3.3.4: unexpected interruptions, share with hardware causes, manual interventions."""


def _six_nd(design: Design) -> Said:
    active = design.model.active_params
    return 0.3, f"6 × {count(active)} × {count(design.run.tokens)} = {power(design.run.flop)} FLOP"


def _tokens(design: Design) -> Said:
    each = design.run.tokens / design.workload.params
    far = each / TOKENS_PER_PARAM
    division = f"{count(design.run.tokens)} ÷ {count(design.workload.params)} = {number(each)}"
    effect = f"{division} tokens a parameter; Chinchilla had 20"
    return (0.1 if 0.5 <= far <= 2 else 0.35), effect


def _dense_peak(design: Design) -> Said:
    peak = design.accelerator.peak_flop_per_s(design.workload.precision) / 1e12
    achieved = significant(design.run.mfu * peak)
    done = f"{share(design.run.mfu)} of {significant(peak, 4)} = {achieved} TFLOP/s on each GPU"
    hopper = design.accelerator.id.startswith(("h100", "h200", "h800"))
    return (0.2, done) if hopper else (0.0, f"{design.accelerator.name}: {done}")


def _mfu_hfu(design: Design) -> Said:
    run = design.run
    if design.layout.recompute == "none":
        return 0.0, f"nothing is recomputed: both are {share(run.mfu)}"
    return 0.3, f"MFU {share(run.mfu)}, HFU {share(run.hfu)} here"


def _interruptions(design: Design) -> Said:
    stops = design.reliability
    effect = (
        f"{number(design.workload.mtbf_gpu_hours)} GPU-h ÷ {grouped(design.workload.gpus)} = "
        f"{number(stops.hours_between_stops)} h between stops"
    )
    expected = stops_in_run(design)
    return min(1.0, expected / 100) if expected >= 1 else 0.0, effect


def _by_hand(design: Design) -> Said:
    stops = stops_in_run(design)
    if stops < 1:
        return 0.0, f"{number(stops)} stops expected in the whole run"
    by_hand = stops * BY_HAND / UNPLANNED
    hands = f"about {number(round(by_hand))}" if by_hand >= 1 else "fewer than one"
    hardware = f"about {number(round(HARDWARE * stops))} are hardware"
    return min(0.5, stops / 200), f"of {number(round(stops))} stops in the run {hardware}, {hands} by hand"


def _half_interval(design: Design) -> Said:
    stops, tau = design.reliability, design.workload.checkpoint_minutes
    exact = share(stops.repeated_fraction)
    if stops.repeated_fraction < 0.005:
        return 0.0, f"a stop every {span(3600 * stops.hours_between_stops)}: {exact} of the time is repeated"
    if stops.lost_fraction >= 1:
        return 1.0, f"{set_span(tau)} is more than twice the time between stops: counted exactly {exact}"
    rule = f"{number(stops.stops_per_day)} a day × {number(tau / 2)} min ÷ 1440 = {share(stops.lost_fraction)}"
    effect = f"{rule}; counted exactly {exact}"
    return min(1.0, 10 * stops.repeated_fraction), effect


def _best_interval(design: Design) -> Said:
    stops, asked = design.reliability, design.workload
    effect = (
        f"√(2 × {span(stops.checkpoint_write_seconds)} × {number(stops.hours_between_stops)} h) = "
        f"{interval(stops.young_checkpoint_minutes)}; set to {set_span(asked.checkpoint_minutes)}"
    )
    return min(0.9, 9 * (1 - stops.goodput)) if stops_in_run(design) >= 1 else 0.0, effect


def _checkpoint_size(design: Design) -> Said:
    stops, asked = design.reliability, design.workload
    each = number(stops.checkpoint_bytes / asked.params)
    speed = number(asked.checkpoint_gb_per_s)
    written = f"{size(stops.checkpoint_bytes)} at {speed} GB/s: {span(stops.checkpoint_write_seconds)}"
    effect = f"{written}, {each} bytes a parameter"
    return 0.1 + min(0.8, 5 * stops.stall_fraction), effect


def _in_background(design: Design) -> Said:
    stops = design.reliability
    if design.workload.checkpoint_async:
        return 0.3, f"{span(stops.checkpoint_write_seconds)} of writing hide behind the training"
    if stops.stall_fraction < 0.005:
        return 0.0, f"writing costs only {share(stops.stall_fraction)} of the time"
    return min(0.8, 8 * stops.stall_fraction), f"training waits {share(stops.stall_fraction)} of the time for writes"


def _loaders(design: Design) -> Said:
    data, step = design.data, design.step
    load = data.needed_tokens_per_s / data.supplied_tokens_per_s
    busy = step.seconds - step.loader_wait_seconds
    effect = (
        f"{count(step_tokens(design))} tokens ÷ {span(busy)} = {rate(data.needed_tokens_per_s)}, "
        f"{rate(data.supplied_tokens_per_s)} streamed"
    )
    return (min(1.0, load) if load >= 0.7 else 0.0), effect


CLAIMS = (
    Claim(
        "six-nd", "A dense transformer takes about 6 FLOP for each parameter and token.",
        "kaplan", "section 2.1", _six_nd,
    ),
    Claim(
        "tokens-with-parameters", "For the least loss per FLOP, double the tokens when the parameters double.",
        "chinchilla", "abstract", _tokens,
    ),
    Claim(
        "dense-peak", "The 1979 TFLOP/s listed for an H100 assume sparsity; its dense 16-bit peak is half.",
        "nvh100", "specifications", _dense_peak,
    ),
    Claim(
        "mfu-against-hfu", "MFU leaves recomputed work out, HFU counts it: PaLM's 46.2 and 57.8 %.",
        "palm", "section 4.1", _mfu_hfu,
    ),
    Claim(
        "interruptions", "Llama 3 was interrupted 466 times in 54 days on up to 16\u202f384 GPUs, 419 unexpected.",
        "llama3", "section 3.3.4", _interruptions,
    ),
    Claim(
        "hardware-share", "78 % of Llama 3's unexpected stops were hardware; only 3 needed much work by hand.",
        "llama3", "section 3.3.4, table 5", _by_hand,
    ),
    Claim(
        "half-interval", "A stop repeats half a checkpoint interval, on average.",
        "young74", "pages 530 to 531", _half_interval,
    ),
    Claim(
        "best-interval", "The best interval is √(2·δ·M): save time and time between stops.",
        "young74", "pages 530 to 531", _best_interval,
    ),
    Claim(
        "checkpoint-size", "Megatron's 1T checkpoint took 13.8 TB and was written at 273 GB/s.",
        "narayanan21", "section 5.10", _checkpoint_size,
    ),
    Claim(
        "save-in-background", "Copy the state to host memory in seconds, write it to storage behind the training.",
        "megascale", "section 4.4", _in_background,
    ),
    Claim(
        "loaders-off-the-path", "Prepare data off the critical path, or GPUs idle at the start of each step.",
        "megascale", "section 3.4", _loaders,
    ),
)  # fmt: skip
