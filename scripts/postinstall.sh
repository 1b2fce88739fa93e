#!/bin/sh
# What: puts the right programs into node_modules/.bin of this checkout.
# When: npm runs it at the end of `npm ci` and `npm install`.
# Why:  `node` there is Node 24 from the lock file, so that npm scripts run on it under an older Node. A machine whose
#       own Node is new enough keeps its own: the pinned one needs glibc, and does not run on musl.
#       `octavo` there makes `npx octavo` start this checkout; npm links the commands of dependencies only.
set -eu
cd "$(dirname "$0")/.."
bin=node_modules/.bin
[ -d "$bin" ] || exit 0

major() { "$1" --version 2>/dev/null | sed -n 's/^v\([0-9]*\)\..*/\1/p'; }

own=${npm_node_execpath:-$(command -v node || true)}
case "$own" in "$PWD/node_modules/"*) own= ;; esac
own_major=$(major "$own" || true)

if [ "${own_major:-0}" -ge 24 ]; then
  rm -f "$bin/node"
else
  pinned_major=$(major "$bin/node" || true)
  if [ "${pinned_major:-0}" -lt 24 ]; then
    echo "Octavo needs Node 24 or newer; this machine has ${own_major:-none}, and the pinned one does not run here." >&2
  fi
fi

ln -sf ../../src/main.ts "$bin/octavo"
