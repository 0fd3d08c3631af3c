#!/bin/sh
# Runs a command and says every 20 seconds that it is still at work: heartbeat.sh WHAT COMMAND...
what=$1
shift
"$@" &
job=$!
trap 'kill "$job" 2>/dev/null' INT TERM
seconds=0
while kill -0 "$job" 2>/dev/null; do
    sleep 1
    seconds=$((seconds + 1))
    [ $((seconds % 20)) -ne 0 ] || echo "  $what: at work for $seconds s"
done
wait "$job"
