"""The commands that read a table of measured runs: `validate` and `rank`."""

import argparse
import csv
import json
from collections.abc import Sequence
from pathlib import Path

from app.model.ranking import Ranking, rank
from app.model.runs import NEEDED, read_rows
from app.model.validation import Errors, Validation, errors, validate


def add_commands(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `validate FILE.csv` and `rank FILE.csv`."""
    for name, purpose, show in (
        ("validate", "predict every run of a table and compare it with what was measured", show_validation),
        ("rank", "rank the measured layouts of a sweep by prediction", show_ranking),
    ):
        command = commands.add_parser(name, help=purpose, allow_abbrev=False)
        command.add_argument("file", type=Path, metavar="FILE.csv", help="columns of app/data/published_runs.csv")
        command.add_argument("--json", action="store_true", help="answer as JSON")
        command.set_defaults(run=show)


def show_validation(options: argparse.Namespace) -> int:
    found = validate(table(options.file))
    print(json.dumps(found.as_dict()) if options.json else validation_text(found))
    return 0


def show_ranking(options: argparse.Namespace) -> int:
    found = rank(table(options.file))
    print(json.dumps(found.as_dict()) if options.json else ranking_text(found))
    return 0


class TableError(ValueError):
    """A table was refused: the message names the file and the cause."""


def table(path: Path) -> list[dict[str, str]]:
    """The rows of a table; raises TableError."""
    try:
        rows = read_rows(path)
    except OSError as error:
        raise TableError(f"{path}: {error.strerror or error}") from None
    except (UnicodeDecodeError, csv.Error):
        raise TableError(f"{path}: is not a CSV table in UTF-8") from None
    if not rows:
        raise TableError(f"{path}: holds no rows; a first line names the columns, each further one is a run")
    missing = [name for name in NEEDED if name not in rows[0]]
    if missing:
        raise TableError(f"{path}: lacks the columns {', '.join(missing)}; app/data/published_runs.csv shows them all")
    return rows


def validation_text(found: Validation) -> str:
    """A line a run, then the errors by source and overall, beside the plain rival."""
    lines = [f"{'run':<44}{'predicted s':>12}{'published s':>12}{'error %':>9}{'memory GB':>11}{'error %':>9}  chosen"]
    for run in found.runs:
        chosen = ", ".join(f"{name} {value}" for name, value in run.chosen.items())
        lines.append(
            f"{run.id[:43]:<44}{run.predicted_step_seconds:>12.4g}{_cell(run.published_step_seconds, '.4g'):>12}"
            f"{_cell(run.error_pct, '+.1f'):>9}{run.predicted_memory_bytes / 1e9:>11.1f}"
            f"{_cell(run.memory_error_pct, '+.1f'):>9}  {chosen}".rstrip()
        )
    s = found.summary
    lines += ["", f"{'source':<44}{'n':>6}{'median %':>10}{'90th %':>10}{'bias %':>10}"]
    lines += [errors_text(name, e) for name, e in s.by_source.items()]
    rows = (
        ("all", errors(r.error_pct for r in found.runs)),
        ("always 40 % of peak", s.always_40_pct),
        ("memory", s.memory),
    )
    lines += ["", *(errors_text(name, e) for name, e in rows)]
    return "\n".join([*lines, *skipped_text(found.skipped)])


def errors_text(name: str, e: Errors) -> str:
    cells = (_cell(e.median_abs_error_pct, ".1f"), _cell(e.p90_abs_error_pct, ".1f"), _cell(e.bias_pct, "+.1f"))
    return f"{name[:43]:<44}{e.n:>6}" + "".join(f"{cell:>10}" for cell in cells)


def ranking_text(found: Ranking) -> str:
    """A line a group of layouts, then the medians."""
    lines = [f"{'model':<24}{'GPUs':>8}{'layouts':>9}{'regret %':>10}{'rank correlation':>18}"]
    lines += [
        f"{g.model[:23]:<24}{g.gpus:>8}{g.n:>9}{100 * g.regret:>10.1f}{g.rank_correlation:>18.2f}" for g in found.groups
    ]
    s = found.summary
    if s.median_regret is not None:
        lines += [
            "",
            f"{s.groups} groups: median regret {100 * s.median_regret:.1f} %, "
            f"worst {100 * (s.worst_regret or 0):.1f} %, median rank correlation {s.median_rank_correlation:.2f}",
        ]
    return "\n".join([*lines, *skipped_text(found.skipped)])


def skipped_text(skipped: Sequence[dict[str, str]]) -> list[str]:
    return ["", *(f"not predicted: {s['id']}: {s['why']}" for s in skipped)] if skipped else []


def _cell(value: float | None, form: str) -> str:
    return "" if value is None else format(value, form)
