"""The fault campaign in full: kills, full disks, poisoned pages, cut files, runs at once, read-only inputs.

    python tests/workflow/stress.py [--only kills pages …] [--kills 50] [--pages 1000]

Runs are the smoke run's; each must end with the bytes of an undisturbed one. What is done stands in
report.tsv of the folder, so a campaign that was stopped goes on where it was, the kills at the next kill. An
empty folder begins anew; sources are copied when it begins.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

import yaml

from modtok.core.io import read_tsv, write_json, write_tsv
from workflow.faults import Place, concurrent_runs, full_disk, read_only_inputs
from workflow.kills import files_in, run_with_kills
from workflow.outcome import Outcome
from workflow.poison import cut_warcs, poison_pages
from workflow.runs import REPOSITORY, SMOKE, clone, finish, new_run, smoke_inputs
from workflow.same_bytes import first_difference

COLUMNS = ("campaign", "attempts", "survived", "lost", "seconds", "about", "skipped")
# Disks that are full early, in the middle and late, as shares of what the run's results take up.
DISKS = (0.1, 0.4, 0.8)


def main() -> None:
    args = parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    report = args.folder / "report.tsv"
    rows = read_tsv(report) if report.exists() else []
    for name, campaign in campaigns(args).items():
        if name in {row["campaign"] for row in rows} or name not in args.only:
            continue
        start = time.monotonic()
        outcome = campaign()
        print(outcome, flush=True)
        measured = {"lost": outcome.lost, "seconds": round(time.monotonic() - start)}
        rows.append({**vars(outcome), **{name: str(value) for name, value in measured.items()}})
        write_tsv(report, COLUMNS, rows)
    print(f"{report}: " + "; ".join(f"{row['campaign']} {row['survived']}/{row['attempts']}" for row in rows))
    sys.exit(any(row["lost"] != "0" for row in rows))


def parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    names = ("pages", "cuts", "disk", "side_by_side", "read_only", "kills")
    parser.add_argument("--folder", type=Path, default=REPOSITORY / "build" / "stress")
    parser.add_argument("--only", nargs="+", choices=names, default=names)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1, help="of moments and mutations")
    return parser.parse_args()


def campaigns(args: argparse.Namespace) -> dict[str, Callable[[], Outcome]]:
    """Name -> what runs it, the short ones first."""
    made = partial(place, args.folder, args.cores)
    return {
        "pages": lambda: poison_pages(args.folder, args.pages, args.seed),
        "cuts": lambda: cut_warcs(args.folder / "cuts"),
        "disk": lambda: full_disk(made(), DISKS),
        "side_by_side": lambda: concurrent_runs(made(), 2),
        "read_only": lambda: read_only_inputs(made()),
        "kills": lambda: kills(made(), args.kills, args.seed),
    }


def place(folder: Path, cores: int) -> Place:
    """The workflow, its inputs and an undisturbed run, made once."""
    config = yaml.safe_load((SMOKE / "config" / "config.yaml").read_text())
    workflow, inputs, run = folder / "workflow", folder / "inputs", folder / "undisturbed"
    if not (folder / "ready").exists():
        for part, make in ((workflow, clone), (inputs, smoke_inputs)):
            if not part.exists():
                make(part)
        if not run.exists():
            new_run(run, config, inputs)
        print("the undisturbed run begins", flush=True)
        finish(workflow, run, "--rerun-incomplete", "--cores", str(cores))
        (folder / "ready").touch()
    return Place(workflow, inputs, run, config, folder, cores)


def kills(made: Place, number: int, seed: int) -> Outcome:
    """kill -9 of everything, so many times, in one run; a line for each, and how many it was."""
    run, state = made.folder / "killed", made.folder / "kills.json"
    done = json.loads(state.read_text()) if state.exists() else {"starts": 0, "kills": 0}
    if not run.exists():
        new_run(run, made.config, made.inputs)
    for line in _lines(made, run, number, seed, done["starts"]):
        print(line, flush=True)
        done["starts"] += 1
        done["kills"] += line.startswith("kill") and "had ended" not in line
        write_json(state, done)
    difference = first_difference(made.undisturbed / "results", run / "results")
    return Outcome(
        "kills", done["kills"], 0 if difference else done["kills"], difference or "one run, same bytes"
    )


def _lines(made: Place, run: Path, number: int, seed: int, done: int) -> Iterator[str]:
    files = files_in(made.undisturbed)
    return run_with_kills(made.workflow, run, number, seed, files, made.cores, done)


if __name__ == "__main__":
    main()
