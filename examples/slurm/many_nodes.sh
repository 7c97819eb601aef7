#!/usr/bin/env bash
#SBATCH --job-name=heat-many-nodes
#SBATCH --nodes=16
#SBATCH --ntasks-per-node=4
#SBATCH --gpus-per-task=1
#SBATCH --gpu-bind=none
#SBATCH --cpus-per-task=16
#SBATCH --exclusive
#SBATCH --time=02:00:00
#SBATCH --signal=TERM@300
#
# 64 GPUs of 16 nodes, to step 10000 in as many jobs as that takes: each goes on from the last checkpoint, and five minutes
# before its time is over Slurm tells it to write one and end. Submit it again until it says step 10000; then it does
# nothing more.
set -euo pipefail
module load gcc cuda openmpi hdf5 nccl ucx

export OMP_NUM_THREADS=$SLURM_CPUS_PER_TASK OMP_PROC_BIND=close OMP_PLACES=cores
export UCX_TLS=rc,cuda_copy,cuda_ipc,sm,self  # InfiniBand, and copies within a node
export NCCL_SOCKET_IFNAME=ib0                 # the network over which NCCL's ranks find each other

start=(--cells 4096)
if [[ -e heat_many_nodes.h5 ]]; then start=(--restart heat_many_nodes.h5); fi
status=0
srun --cpu-bind=cores --kill-on-bad-exit=1 \
  ./heat3d_mpi "${start[@]}" --until 10000 --every 500 --checkpoint heat_many_nodes.h5 || status=$?
if ((status == 128 + 15)); then status=0; fi  # ended by Slurm's TERM, after its checkpoint
exit "$status"
