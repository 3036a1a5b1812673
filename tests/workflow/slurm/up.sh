#!/usr/bin/env bash
# Start a SLURM of one machine: munged, slurmctld and two slurmd from Debian's packages, which apt installs where they
# are missing. Everything is below the folder STATE but a link, /etc/slurm/slurm.conf. Needs root. down.sh ends it.
#
#     tests/workflow/slurm/up.sh STATE
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
state=$1
packages=(munge slurmctld slurmd slurm-client)
config=/etc/slurm/slurm.conf

fail() {
    echo "up.sh: $*" >&2
    exit 1
}

# Another's SLURM would be mistaken for ours, and ours for another's.
[ "$(id -u)" = 0 ] || fail "needs root, to install packages and to link $config; run it with sudo or in a container"
[ -L "$config" ] || [ ! -e "$config" ] || fail "$config is of another SLURM; run this where there is none"

install() {
    DEBIAN_FRONTEND=noninteractive apt-get install -qq --yes --no-install-recommends "${packages[@]}" < /dev/null
}
missing() {
    ! dpkg-query --show --showformat='${db:Status-Status}\n' "${packages[@]}" 2> /dev/null | grep -c '^installed$' |
        grep -qx "${#packages[@]}"
}
# The packages' own services are not wanted; where nothing forbids it, apt would start them.
forbid_services() {
    [ -e /usr/sbin/policy-rc.d ] && return
    printf '#!/bin/sh\nexit 101\n' > /usr/sbin/policy-rc.d
    chmod +x /usr/sbin/policy-rc.d
    trap 'rm -f /usr/sbin/policy-rc.d' EXIT
}
mkdir -p "$state"/{run,log,spool/controller,spool/modtok1,spool/modtok2}
if missing; then
    forbid_services
    install &> "$state/log/apt.log" || { apt-get update -qq && install; } &>> "$state/log/apt.log" ||
        fail "apt could not install ${packages[*]}: $(tail -n 3 "$state/log/apt.log")"
fi

chmod -R go-w "$state"
(umask 077 && dd if=/dev/urandom of="$state/munge.key" bs=128 count=1 status=none)
host=$(hostname -s)
sed "s|@STATE@|$state|g; s|@HOST@|$host|g" "$here/slurm.conf" > "$state/slurm.conf"
touch "$state"/gpu{0,1}
sed "s|@STATE@|$state|g" "$here/gres.conf" > "$state/gres.conf"
export SLURM_CONF=$state/slurm.conf
# srun inside a job looks here: the plugin's job step passes no SLURM_CONF on.
mkdir -p /etc/slurm
ln -sfn "$SLURM_CONF" "$config"

# Tries a command until it works, for a minute and a half: machines that test are busy.
await() {
    local end=$((SECONDS + 90))
    until "$@" &> /dev/null; do
        ((SECONDS < end)) || fail "'$*' never came true: $(tail -qn 5 "$state"/log/*.log)"
        sleep 0.2
    done
}
nodes_ready() { [ "$(sinfo --noheader --Node --format %T | grep -cx idle)" = 2 ]; }

munged --force --key-file="$state/munge.key" --socket="$state/run/munge.socket" --pid-file="$state/run/munged.pid" \
    --log-file="$state/log/munged.log" --seed-file="$state/munge.seed"
await munge --no-input --socket="$state/run/munge.socket"
slurmctld
await scontrol ping
for node in modtok1 modtok2; do slurmd -N "$node"; done
await nodes_ready
