#!/bin/bash
# find-program.sh <program> [<package>]: prints its path. As root, installs Debian's package if it is missing.
set -euo pipefail
program=$1
package=${2:-$1}
PATH=$PATH:/usr/sbin
if ! command -v "$program"; then
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "$program is not installed, and only root can install it" >&2
    exit 3
  fi
  export DEBIAN_FRONTEND=noninteractive
  install() { apt-get install -y -qq -o DPkg::Lock::Timeout=300 --no-install-recommends "$package"; }
  { install || { apt-get update -qq && install; }; } >/dev/null || {
    echo "the package $package could not be installed" >&2
    exit 3
  }
  command -v "$program"
fi
