#!/usr/bin/env bash
# A real Slurm on this one machine, for the tests: a controller and two nodes, no systemd, no cgroups.
#
#   tests/cluster/slurm.sh start | stop | ready | kill-node NAME | start-node NAME |
#                          stop-controller | start-controller
#
# Needs root and Debian's slurm-wlm and munge. Everything it starts it also stops, by process id;
# state and logs are under $BAKEOFF_SLURM (default: bakeoff-slurm in the temporary folder).
set -euo pipefail

state=${BAKEOFF_SLURM:-${TMPDIR:-/tmp}/bakeoff-slurm}
nodes=(node1 node2)
conf=/etc/slurm/slurm.conf
gres=/etc/slurm/gres.conf
mark="# made by bakeoff's tests/cluster/slurm.sh"

pid_of() { # NAME COMMAND: its process id, if it runs; a zombie (nobody reaps here) does not
  local pid
  pid=$(cat "$state/run/$1.pid" 2>/dev/null) && [ -n "$pid" ] || return 1
  grep -qsx "Name:[[:space:]]*$2" "/proc/$pid/status" || return 1
  grep -qs '^State:[[:space:]]*Z' "/proc/$pid/status" && return 1
  echo "$pid"
}

wait_until() { # SECONDS COMMAND...
  local end=$((SECONDS + $1)); shift
  until "$@" >/dev/null 2>&1; do
    if [ $SECONDS -ge $end ]; then echo "gave up waiting for: $*" >&2; return 1; fi
    sleep 0.2
  done
}

end() { # NAME COMMAND SIGNAL
  local pid
  pid=$(pid_of "$1" "$2") || return 0
  kill "-$3" "$pid"
  wait_until 15 gone "$1" "$2" || kill -KILL "$pid"
}
gone() { ! pid_of "$1" "$2"; }

configure() {
  mkdir -p "$state"/{run,log,controller} /etc/slurm
  if [ -e "$conf" ] && ! grep -qxF "$mark" "$conf"; then
    echo "$conf is of another Slurm, which stays as it is" >&2; return 1
  fi
  {
    echo "$mark"
    cat <<CONF
ClusterName=bakeoff
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=26817
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$state/run/munge.socket
StateSaveLocation=$state/controller
SlurmctldPidFile=$state/run/slurmctld.pid
SlurmctldLogFile=$state/log/slurmctld.log
SlurmdSpoolDir=$state/spool.%n
SlurmdPidFile=$state/run/%n.pid
SlurmdLogFile=$state/log/%n.log
# no cgroups: processes are found by their parents, memory is measured every second
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill,UsePss
AccountingStorageType=accounting_storage/none
# one line for each job that ended: the tests read states and nodes there
JobCompType=jobcomp/filetxt
JobCompLoc=$state/log/jobs.txt
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
DefMemPerCPU=500
# start jobs at once
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,sched_interval=2,bf_interval=2
# nodes may say they have more than the machine
SlurmdParameters=config_overrides
# what cannot run on any node is refused instead of waiting for ever
EnforcePartLimits=ALL
# a node is lost after 20 s, and back in service when it answers
SlurmdTimeout=20
ReturnToService=2
KillWait=3
# squeue shows ended jobs for an hour: Snakemake learns their states from it
MinJobAge=3600
# the second node has one of what GPUs are elsewhere
GresTypes=accelerator
CONF
    port=27001
    for node in "${nodes[@]}"; do
      has=$([ "$node" = node2 ] && echo Gres=accelerator:1 || true)
      echo "NodeName=$node NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=$port CPUs=2 RealMemory=6000 $has"
      port=$((port + 1))
    done
    echo "PartitionName=special Nodes=node2 MaxTime=INFINITE State=UP"
    echo "PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP"
  } >"$conf"
  printf '%s\n' "$mark" "NodeName=node2 Name=accelerator Count=1" >"$gres"
}

start_munge() {
  pid_of munged munged && return
  rm -f "$state"/run/munge.socket*
  [ -s "$state/munge.key" ] || (umask 077; head -c 1024 /dev/urandom >"$state/munge.key")
  chmod 755 "$state" "$state/run" "$state/log"
  munged --socket="$state/run/munge.socket" --key-file="$state/munge.key" --force \
    --pid-file="$state/run/munged.pid" --log-file="$state/log/munged.log" \
    --seed-file="$state/munge.seed"
}
start_controller() { pid_of slurmctld slurmctld >/dev/null || slurmctld; wait_until 30 scontrol -Q ping; }
start_node() { pid_of "$1" slurmd >/dev/null || slurmd -N "$1"; }

ready() { # every node answers
  [ "$(sinfo -h -N -o '%N %t' | sort -u | grep -cE ' (idle|mix|alloc|comp)$')" = ${#nodes[@]} ]
}

kill_node() { # as if its machine lost power: the daemon and all that it started
  local pid jobs step child
  pid=$(pid_of "$1" slurmd) || return 0
  jobs=$(pgrep -x slurmstepd -a | grep -E "\[[0-9]+\." | cut -d' ' -f1 || true)
  for step in $jobs; do
    # a step belongs to the node that the environment of what it runs names
    for child in $(pgrep -P "$step" || true); do
      if tr '\0' '\n' <"/proc/$child/environ" 2>/dev/null | grep -qx "SLURMD_NODENAME=$1"; then
        kill_tree "$step"
      fi
    done
  done
  kill -KILL "$pid"
}
kill_tree() {
  local child
  kill -STOP "$1" 2>/dev/null || return 0
  for child in $(pgrep -P "$1" || true); do kill_tree "$child"; done
  kill -KILL "$1" 2>/dev/null || true
}

case ${1:-} in
  start)
    configure
    start_munge
    wait_until 10 sh -c "munge -S '$state/run/munge.socket' -n | unmunge -S '$state/run/munge.socket'"
    start_controller
    for node in "${nodes[@]}"; do start_node "$node"; done
    wait_until 40 "$0" ready
    ;;
  stop)
    if pid_of slurmctld slurmctld >/dev/null; then
      timeout 10 scancel --user=root || true
      wait_until 20 sh -c '[ -z "$(squeue -h)" ]' || true
    fi
    for node in "${nodes[@]}"; do end "$node" slurmd TERM; done
    end slurmctld slurmctld TERM
    end munged munged TERM
    if [ -e "$conf" ] && grep -qxF "$mark" "$conf"; then rm -f "$conf" "$gres"; fi
    rm -rf "$state"
    ;;
  ready) ready ;;
  kill-node) kill_node "$2" ;;
  start-node) start_node "$2" ;;
  stop-controller) end slurmctld slurmctld TERM ;;
  start-controller) start_controller ;;
  *) sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
