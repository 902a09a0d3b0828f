#!/bin/bash
# Prints the path of HAProxy. As root it installs Debian's package when it is missing.
set -euo pipefail
if ! command -v haproxy; then
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "haproxy is not installed, and only root can install it" >&2
    exit 3
  fi
  export DEBIAN_FRONTEND=noninteractive
  install() { apt-get install -y -qq -o DPkg::Lock::Timeout=300 --no-install-recommends haproxy; }
  { install || { apt-get update -qq && install; }; } >/dev/null || {
    echo "the package haproxy could not be installed" >&2
    exit 3
  }
  command -v haproxy
fi
