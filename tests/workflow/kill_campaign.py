"""Kill the smoke run again and again with -9 and compare what it ends with to an undisturbed run.

python tests/workflow/kill_campaign.py --kills 5 --seed 1
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

import yaml

from workflow.kills import files_in, run_with_kills
from workflow.runs import SMOKE, clone, new_run, smoke_inputs
from workflow.same_bytes import first_difference


def main() -> None:
    args = parse_args()
    with tempfile.TemporaryDirectory(prefix="kill-campaign-") as folder:
        difference = campaign(Path(folder), args.kills, args.seed, args.cores)
    print(difference or f"the same bytes after {args.kills} kills")
    sys.exit(bool(difference))


def parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1, help="of the moments")
    parser.add_argument("--cores", type=int, default=2)
    return parser.parse_args()


def campaign(folder: Path, kills: int, seed: int, cores: int) -> str:
    """Where the killed run differs from the undisturbed one; a line is printed for each kill."""
    workflow, inputs = clone(folder / "workflow"), smoke_inputs(folder / "inputs")
    config = yaml.safe_load((SMOKE / "config" / "config.yaml").read_text())
    runs = {name: new_run(folder / name, config, inputs) for name in ("undisturbed", "killed")}
    files = 0  # of the first run, which is not killed
    for name, run in runs.items():
        start = time.monotonic()
        for line in run_with_kills(workflow, run, kills if files else 0, seed, files, cores):
            print(f"{name}, {time.monotonic() - start:.1f} s: {line}", flush=True)
        files = files_in(run)
    return first_difference(*(run / "results" for run in runs.values()))


if __name__ == "__main__":
    main()
