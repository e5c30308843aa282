#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages that building and testing need, only those that are missing. With everything in place it
# does nothing and needs neither network nor root.
# A bare Debian has no git and no make either; those two come first, by hand: apt-get install git make
set -euo pipefail

packages=(
  g++ cmake ninja-build make pkg-config ccache
  libsystemc-dev libyaml-cpp-dev libcli11-dev libfmt-dev nlohmann-json3-dev libsqlite3-dev libprotobuf-dev protobuf-compiler
  libboost-test-dev
  clang python3 python3-jsonschema linux-perf
)

fail() {
  echo "install-deps: $*" >&2
  exit 1
}

installed() { dpkg -s "$1" 2>/dev/null | grep -q '^Status: install ok installed$'; }

if ! command -v dpkg >/dev/null || ! command -v apt-get >/dev/null; then
  echo "install-deps: not a Debian system; install by its own means: ${packages[*]} clang-format (14)" >&2
  exit 0
fi

missing=()
for package in "${packages[@]}"; do
  installed "$package" || missing+=("$package")
done
install_formatter=false
if ! installed clang-format-14 && ! installed clang-format; then
  install_formatter=true
fi
if [ ${#missing[@]} -eq 0 ] && ! $install_formatter; then
  exit 0
fi

root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    if $install_formatter; then missing+=(clang-format-14); fi
    fail "neither root nor sudo; run as root: apt-get install ${missing[*]}"
  fi
  root=(sudo)
fi
apt() { "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends "$@"; }

apt update || fail "cannot read the package lists; is there a network? Missing: ${missing[*]}"
if $install_formatter; then
  # Other versions format a little differently; 14 is the one that the sources follow.
  if apt-cache show clang-format-14 >/dev/null 2>&1; then
    missing+=(clang-format-14)
  else
    missing+=(clang-format)
  fi
fi
echo "install-deps: installing ${missing[*]}"
apt install "${missing[@]}" || fail "apt-get could not install: ${missing[*]}"
