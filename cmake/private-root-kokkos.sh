#!/bin/sh
# SPDX-FileCopyrightText: the Quern authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs inside the private root while ./dev makes it: adds both of Debian's Kokkos packages to Debian stable.
# private-root-kokkos.sh MIRROR
set -eu
mirror=$1

cat >/etc/apt/sources.list.d/kokkos.sources <<EOF
Types: deb
URIs: $mirror
Suites: sid experimental
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
EOF
# Only the named packages come from there; nothing else may follow.
cat >/etc/apt/preferences.d/kokkos <<'EOF'
Package: *
Pin: release n=sid
Pin-Priority: 50

Package: *
Pin: release n=rc-buggy
Pin-Priority: 40

Package: libtrilinos-kokkos* trilinos-dev
Pin: release n=rc-buggy
Pin-Priority: 990

Package: libkokkos*
Pin: release n=sid
Pin-Priority: 980
EOF
apt-get -o 'Acquire::Check-Valid-Until=false' -o 'APT::Sandbox::User=root' update
apt-get install -y --no-install-recommends libtrilinos-kokkos-dev libtrilinos-kokkos-kernels-dev

# The OpenMP package claims the same paths, so it is unpacked under a prefix of its own. Its CMake files name /usr, where
# the other Kokkos's headers are, and two archives that the package does not have; both are mended.
prefix=/usr/local/lib/kokkos-openmp
mkdir -p /tmp/kokkos "$prefix"
cd /tmp/kokkos
openmp=$(apt-cache depends libkokkos-dev | sed -n 's/.*Depends: \(libkokkos[0-9.]*\)$/\1/p')
apt-get -o 'APT::Sandbox::User=root' download libkokkos-dev "$openmp"
for package in *.deb; do dpkg-deb -x "$package" "$prefix"; done
targets=$(find "$prefix" -name KokkosTargets.cmake)
sed -i 's|"/usr/include/kokkos"|"${_IMPORT_PREFIX}/include/kokkos"|' "$targets"
libraries=$(dirname "$(dirname "$(dirname "$targets")")")
for archive in algorithms simd; do
  [ -e "$libraries/libkokkos$archive.a" ] || ar rc "$libraries/libkokkos$archive.a"
done
rm -rf /tmp/kokkos
dpkg-query -W "libtrilinos-kokkos*"
echo "$openmp" && sed -n 's/set(PACKAGE_VERSION /&/p' "$(find "$prefix" -name KokkosConfigVersion.cmake)"
