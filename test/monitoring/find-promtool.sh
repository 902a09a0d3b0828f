#!/bin/bash
# Prints the path of promtool; as root on Debian, installs Prometheus first, which includes it.
set -euo pipefail
if ! command -v promtool >/dev/null; then
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "promtool is not installed, and only root can install it (Debian: apt-get install prometheus)" >&2
    exit 3
  fi
  export DEBIAN_FRONTEND=noninteractive
  LOG=$(mktemp)
  install() { apt-get install -y -qq -o DPkg::Lock::Timeout=300 --no-install-recommends prometheus; }
  { install || { apt-get update -qq && install; }; } >"$LOG" 2>&1 || {
    echo "promtool could not be installed: $(tail -n 1 "$LOG")" >&2
    exit 3
  }
  rm -f "$LOG"
fi
command -v promtool
