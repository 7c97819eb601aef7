#!/usr/bin/env bash
#SBATCH --job-name=heat-one-gpu
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --gpus-per-task=1
#SBATCH --cpus-per-task=8
#SBATCH --time=00:30:00
#
# One GPU. The modules' names are those of your machine.
set -euo pipefail
module load gcc cuda openmpi hdf5

srun --cpu-bind=cores ./heat3d_mpi --cells 512 --steps 1000 --every 200 --checkpoint heat.h5
