#!/bin/sh
# Install Debian programs that are missing: ensure_programs.sh PROGRAM:PACKAGE ...
# As root or with sudo it installs them; otherwise it says what to install and fails.
set -eu

PATH="$PATH:/usr/sbin:/sbin"
missing=""
for pair in "$@"; do
  command -v "${pair%%:*}" >/dev/null 2>&1 || missing="$missing ${pair##*:}"
done
[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null 2>&1; then
  echo "These programs are missing and there is no apt-get here:$missing" >&2
  echo "Install them with your system's package manager, then run this again." >&2
  exit 1
fi
if [ "$(id -u)" -eq 0 ]; then
  as_root=""
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
  as_root="sudo"
else
  echo "These Debian packages are missing:$missing" >&2
  echo "Install them with: apt-get install$missing" >&2
  exit 1
fi

echo "installing from Debian:$missing"
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq
# shellcheck disable=SC2086 -- a list of package names
$as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null
