#!/usr/bin/env bash
# End what up.sh started, jobs first, and remove its folder. Knows daemons by their pid files and processes of jobs by
# the node that their environment names, and does nothing where there are none.
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
if [ -e "$state/run/slurmctld.pid" ] && alive "$(cat "$state/run/slurmctld.pid")"; then
    timeout 10 scancel --user=root
fi
for name in slurmd-modtok1 slurmd-modtok2 slurmctld munged; do
    pid=$(cat "$state/run/$name.pid" 2> /dev/null) || continue
    # The number may long be another's.
    [ "$(cat "/proc/$pid/comm" 2> /dev/null)" = "${name%-modtok*}" ] || continue
    kill "$pid"
    await_end "$pid" || kill -9 "$pid"
done
# Without cgroups SLURM loses sight of processes whose parents went before them; they still name the node.
for process in /proc/[0-9]*; do
    ! grep -qzx 'SLURMD_NODENAME=modtok[12]' "$process/environ" 2> /dev/null || kill -9 "${process#/proc/}" 2> /dev/null
done
[ "$(readlink "$config")" = "$state/slurm.conf" ] && rm -f "$config"
rm -rf "$state"
