#!/usr/bin/env bash
#SBATCH --job-name=heat-one-node
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=4
#SBATCH --gpus-per-task=1
#SBATCH --gpu-bind=none
#SBATCH --cpus-per-task=16
#SBATCH --time=00:30:00
#
# The four GPUs of a node, a rank for each. With --gpu-bind=none every rank sees all of them, which NCCL needs for its
# direct transfers; Kokkos takes the one with the rank's number on the node.
set -euo pipefail
module load gcc cuda openmpi hdf5 nccl

export OMP_NUM_THREADS=$SLURM_CPUS_PER_TASK OMP_PROC_BIND=close OMP_PLACES=cores
srun --cpu-bind=cores ./heat3d_mpi --cells 1024 --steps 1000 --every 200 --checkpoint heat.h5
