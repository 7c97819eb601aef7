#!/usr/bin/env bash
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# srun [OPTIONS...] PROGRAM ARGS...: runs the program by the command $SRUN, without Slurm, in a box of 20 cells to step
# $SRUN_STEPS instead of 4096 cells to step 10000.
set -euo pipefail
while [[ $1 == --* ]]; do shift; done
unset UCX_TLS NCCL_SOCKET_IFNAME  # of the cluster's network
arguments=()
for argument; do
  case $argument in
    4096) argument=20 ;;
    10000) argument=$SRUN_STEPS ;;
    500) argument=10 ;;
  esac
  arguments+=("$argument")
done
read -ra launcher <<<"$SRUN"
exec "${launcher[@]}" "${arguments[@]}"
