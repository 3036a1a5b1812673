#!/usr/bin/env bash
# End what up.sh started, jobs first, and remove its folder. Knows its processes by their pid files, and does nothing
# where there are none.
#
#     tests/workflow/slurm/down.sh STATE
set -uo pipefail
state=$1
config=/etc/slurm/slurm.conf
export SLURM_CONF=$state/slurm.conf

# A process that ended but that nobody has waited for yet counts as gone.
alive() { grep -q '^State:[[:space:]]*[^ZX[:space:]]' "/proc/$1/status" 2> /dev/null; }
await_end() {
    for _ in {1..150}; do
        alive "$1" || return 0
        sleep 0.1
    done
    return 1
}
no_jobs() { [ -z "$(timeout 10 squeue --noheader --states=RUNNING,COMPLETING,PENDING 2> /dev/null)" ]; }

if [ -e "$state/run/slurmctld.pid" ] && alive "$(cat "$state/run/slurmctld.pid")"; then
    timeout 10 scancel --user=root
    for _ in {1..60}; do no_jobs && break || sleep 0.5; done
fi
for name in slurmd-modtok1 slurmd-modtok2 slurmctld munged; do
    pid=$(cat "$state/run/$name.pid" 2> /dev/null) || continue
    # The number may long be another's.
    [ "$(cat "/proc/$pid/comm" 2> /dev/null)" = "${name%-modtok*}" ] || continue
    kill "$pid"
    await_end "$pid" || kill -9 "$pid"
done
[ "$(readlink "$config")" = "$state/slurm.conf" ] && rm -f "$config"
rm -rf "$state"
