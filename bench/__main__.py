"""`python -m bench [NAME …] [--short]`: measures, prints, and writes the tables into BENCHMARKS.md.

A short run only shows that the scripts work: it prints and writes nothing.
"""

import argparse
import sys

from bench import classroom, fragments, latency, server, weight
from bench.report import conditions, write

MEASUREMENTS = {
    "latency": latency.measure,
    "server": server.measure,
    "class": classroom.measure,
    "weight": weight.measure,
    "fragments": fragments.measure,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(MEASUREMENTS)}; without a name all")
    parser.add_argument("--short", action="store_true", help="a run of seconds that writes nothing")
    options = parser.parse_args()
    unknown = set(options.names) - set(MEASUREMENTS)
    if unknown:
        parser.error(f"{', '.join(unknown)}: the measurements are {', '.join(MEASUREMENTS)}")
    for name in options.names or MEASUREMENTS:
        table = f"{MEASUREMENTS[name](options.short)}\n\n{conditions()}"
        print(f"{name}\n{table}\n", flush=True)
        if not options.short:
            write(name, table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
