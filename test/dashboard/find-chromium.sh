#!/bin/bash
# Prints the path of Chromium; as root on Debian it installs it first.
set -euo pipefail
# Without any window it needs two thirds of the processor time.
SMALL=chromium-headless-shell
find_any() { command -v $SMALL || command -v chromium || command -v chromium-browser || command -v google-chrome; }
if ! command -v $SMALL >/dev/null && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  export DEBIAN_FRONTEND=noninteractive
  LOG=$(mktemp)
  install() { apt-get install -y -qq -o DPkg::Lock::Timeout=300 --no-install-recommends "$1"; }
  # Older releases have only the whole of it.
  { install $SMALL || { apt-get update -qq && install $SMALL; } || find_any || install chromium; } >"$LOG" 2>&1 || {
    echo "Chromium could not be installed: $(tail -n 1 "$LOG")" >&2
    exit 3
  }
  rm -f "$LOG"
fi
find_any || {
  echo "Chromium is not installed, and only root can install it (Debian: apt-get install $SMALL)" >&2
  exit 3
}
