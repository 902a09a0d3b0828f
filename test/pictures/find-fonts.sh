#!/bin/bash
# Ensures that Debian's fonts for Chinese, Japanese, Korean and emoji are installed. As root, installs missing
# packages.
set -euo pipefail
if ! [ -e /usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc ] || ! [ -e /usr/share/fonts/truetype/noto/NotoColorEmoji.ttf ]; then
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "fonts-noto-cjk and fonts-noto-color-emoji are not installed, and only root can install them" >&2
    exit 3
  fi
  export DEBIAN_FRONTEND=noninteractive
  install() {
    apt-get install -y -qq -o DPkg::Lock::Timeout=300 --no-install-recommends fonts-noto-cjk fonts-noto-color-emoji
  }
  { install || { apt-get update -qq && install; }; } >/dev/null || {
    echo "the packages fonts-noto-cjk and fonts-noto-color-emoji could not be installed" >&2
    exit 3
  }
fi
