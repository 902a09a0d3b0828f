#!/bin/bash
# Prints the path of Chromium; as root on Debian it installs it first.
set -euo pipefail
find_it() { command -v chromium || command -v chromium-browser || command -v google-chrome; }
if ! find_it >/dev/null; then
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "Chromium is not installed, and only root can install it (Debian: apt-get install chromium)" >&2
    exit 3
  fi
  export DEBIAN_FRONTEND=noninteractive
  LOG=$(mktemp)
  install() { apt-get install -y -qq -o DPkg::Lock::Timeout=300 --no-install-recommends chromium; }
  { install || { apt-get update -qq && install; }; } >"$LOG" 2>&1 || {
    echo "Chromium could not be installed: $(tail -n 1 "$LOG")" >&2
    exit 3
  }
  rm -f "$LOG"
fi
find_it
