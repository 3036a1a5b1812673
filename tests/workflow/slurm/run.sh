#!/usr/bin/env bash
# make slurm-test: start a SLURM, run the checks on it, take it down again, whatever happens in between.
set -uo pipefail
set -m # each background job is a process group of its own, so that it can be ended with all its children
cd "$(dirname "$0")"
# Not below TMPDIR, nor below this repository: the path of a socket has a limit of some hundred letters.
state=/tmp/modtok-slurm

finish() {
    [ -z "${checks:-}" ] || kill -TERM -- "-$checks" 2> /dev/null
    ./down.sh "$state"
    [ -z "${checks:-}" ] || kill -KILL -- "-$checks" 2> /dev/null
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

./down.sh "$state" # what a run that was killed left
./up.sh "$state" || exit
echo "SLURM $(sinfo --version | cut -d ' ' -f 2) is up; the checks take ten to twenty minutes on two cores"
# The GPUs of its nodes are claimed only.
MODTOK_DEVICE=cpu SLURM_CONF=$state/slurm.conf python -m pytest -q "$@" ./checks.py &
checks=$!
wait "$checks"
