"""`python -m calibrate [--keep]`: fits the constants, reports errors on rows left out, and writes both.

--keep prints the report and writes nothing.
"""

import argparse
import sys

from app.model.calibration import tried
from calibrate import constants, errors, memory, report, rows, stages, table


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m calibrate", description=__doc__)
    parser.add_argument("--keep", action="store_true", help="write nothing")
    options = parser.parse_args()
    chosen = [*constants.dense(()), *constants.fp8(), *constants.experts()]
    with tried(constants.changes(chosen, [c.start for c in chosen], reset=True)):
        rows.samples(), rows.samples("ultrascale_runs.csv")
    found = stages.all_stages()
    dense = found["dense"].rows
    apart = errors.all_apart(dense)
    kinds = memory.kind_fits()
    summary = report.accuracy(found, stages.without_stacks(dense), apart["source"], kinds)
    print(report.text(summary))
    if not options.keep:
        table.write(found.values(), kinds)
        report.publish(summary)
        errors.publish(found, apart)
    return 0


if __name__ == "__main__":
    sys.exit(main())
