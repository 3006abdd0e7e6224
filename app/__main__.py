"""The command line: serve the lab, size one design, list layouts, predict a table of runs."""

import argparse
import os
import socket
import sys
from collections.abc import Callable, Sequence
from functools import partial

import uvicorn

from app import tables, terminal
from app.answers import MOST_LAYOUTS, best_layouts, layouts_json, size_json
from app.brought import code_of, counts_of_reading, model_json
from app.cards import CardError, all_cards
from app.formats.huggingface import MAX_BYTES, FormatError, Reading, read_config
from app.model.fields import FIELDS, Field
from app.model.sizing import size
from app.model.workload import Problem, Workload, WorkloadError, choices_of, read_workload
from app.query import read_top, short

BAD_INPUT = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; 0 when all is well, 2 for input that was refused."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    options_only = not words or (words[0].startswith("-") and words[0] not in ("-h", "--help"))
    options = parser().parse_args(["serve", *words] if options_only else words)
    try:
        code: int = options.run(options)
        sys.stdout.flush()
        return code
    except WorkloadError as error:
        for problem in error.problems:
            print(f"{problem.field}: {problem.message}", file=sys.stderr)
        return BAD_INPUT
    except (CardError, tables.TableError) as error:
        print(error, file=sys.stderr)
        return BAD_INPUT
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="pretraining-lab", description="Sizes the pretraining of a language model.")
    commands = top.add_subparsers(metavar="COMMAND", required=True)

    serving = commands.add_parser("serve", help="serve the lab as a web page (what happens without a command)")
    serving.add_argument("--host", default="127.0.0.1")
    serving.add_argument("--port", type=whole_from(1, 65_535), default=8000)
    serving.add_argument("--workers", type=whole_from(1, 64), default=1, help="server processes (default: 1)")
    serving.set_defaults(run=serve)

    sizing = workload_command(commands, "size", "every figure of the recommended design")
    sizing.set_defaults(run=partial(answered, show=show_size))

    listing = workload_command(commands, "layouts", "the best layouts, the best first")
    listing.add_argument("--top", default="10", metavar="N", help=f"how many: 1 to {MOST_LAYOUTS} (default: 10)")
    listing.set_defaults(run=partial(answered, show=show_layouts))
    tables.add_commands(commands)
    return top


def whole_from(low: int, high: int) -> Callable[[str], int]:
    """Reads a whole number within bounds."""

    def read(text: str) -> int:
        if text.isascii() and text.isdigit() and len(text) < 10 and low <= int(text) <= high:
            return int(text)
        raise argparse.ArgumentTypeError(f"is {text[:40]!r}: give a whole number from {low} to {high}")

    return read


def workload_command(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, purpose: str
) -> argparse.ArgumentParser:
    """A command that takes every input of the form as an option."""
    command = commands.add_parser(
        name, help=purpose, allow_abbrev=False, usage=f"pretraining-lab {name} [--INPUT value ...] [--json]"
    )
    command.add_argument("--json", action="store_true", help="answer as JSON, as the API does")
    command.add_argument("--config", metavar="FILE", help="train the model of this config.json of Hugging Face")
    inputs = command.add_argument_group("inputs", "Numbers may be written 70e9, 70B, 16k or 16Ki.")
    for field in FIELDS.values():
        names = dict.fromkeys((f"--{field.name}", f"--{field.name.replace('_', '-')}"))
        inputs.add_argument(*names, dest=field.name, metavar="value", help=option_help(field))
    return command


def option_help(field: Field) -> str:
    words = choices_of(field)
    unit = f" [{field.unit}]" if field.unit else ""
    known = f" One of: {', '.join(words)}." if words else ""
    return f"{field.label}{unit}. {field.help}{known}".replace("%", "%%")


def answered(options: argparse.Namespace, show: Callable[[argparse.Namespace, Workload], str]) -> int:
    """Prints what `show` says of the workload; a model that the lab cannot size is counted instead."""
    given = {name: getattr(options, name) for name in FIELDS}
    values = {name: value for name, value in given.items() if value is not None}
    if options.config is None:
        print(show(options, read_workload(values)))
        return 0
    reading = read_file(options.config)
    code, _ = code_of(reading.model)
    if code:
        print(show(options, read_workload({**values, "own_model": code})))
    else:
        counts = counts_of_reading(reading, read_workload(values))
        print(model_json(reading).decode() if options.json else terminal.counts_text(counts))
    return 0


def read_file(path: str) -> Reading:
    """The model of a file. Raises WorkloadError, which names what is wrong with it."""
    try:
        with open(path, "rb") as file:
            return read_config(file.read(MAX_BYTES + 1))
    except FormatError as error:
        raise WorkloadError((error.problem,)) from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", "") or error
        raise WorkloadError((Problem("config", short(path), f"cannot be read from {short(path)!r}: {why}"),)) from None


def show_size(options: argparse.Namespace, workload: Workload) -> str:
    return size_json(workload).decode() if options.json else terminal.sizing_text(size(workload))


def show_layouts(options: argparse.Namespace, workload: Workload) -> str:
    top = read_top(options.top, MOST_LAYOUTS)
    return layouts_json(workload, top).decode() if options.json else terminal.layouts_text(best_layouts(workload, top))


def serve(options: argparse.Namespace) -> int:
    all_cards()
    refusal = listening_refusal(options.host, options.port)
    if refusal:
        print(f"Cannot listen on {options.host} port {options.port}: {refusal}. Try --port.", file=sys.stderr)
        return BAD_INPUT
    host = f"[{options.host}]" if ":" in options.host else options.host
    print(f"Pretraining Lab: http://{host}:{options.port}  (Ctrl+C stops it)", flush=True)
    uvicorn.run(
        "app.main:create_app",
        factory=True,
        host=options.host,
        port=options.port,
        workers=options.workers,
        log_level="warning",
        server_header=False,
    )
    return 0


def listening_refusal(host: str, port: int) -> str:
    """Why the address cannot be had; empty when it can."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as attempt:
            attempt.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            attempt.bind(address)
    except (OSError, OverflowError) as error:
        return str(getattr(error, "strerror", "") or error)
    return ""


if __name__ == "__main__":
    sys.exit(main())
