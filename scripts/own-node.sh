#!/bin/sh
# Runs after npm ci, on node_modules/.bin of this checkout.
# node: if the system's Node is 24 or newer, it is used. The pinned one is for older systems; it is built against glibc
# and does not start on others.
# npx octavo runs this again: npm installs the checkout into its cache, possibly with the pinned Node, as in a test, which
# must not be mistaken for the system's.
# octavo: npm links the commands of dependencies, but not those of the checkout; without the link npx asks to install
# the package into its cache.
own=$("${npm_node_execpath:-node}" -p 'process.versions.node.split(".")[0]' 2>/dev/null) || exit 0
case ${npm_node_execpath:-} in */node_modules/node-linux-*) own=0 ;; esac
if [ "$own" -ge 24 ]; then
  rm -f node_modules/.bin/node
elif ! node_modules/.bin/node -v >/dev/null 2>&1; then
  echo "Octavo needs Node 24 or newer: the one it brings does not run on this machine. Install one, then npm ci again." >&2
fi
if [ -d node_modules/.bin ]; then ln -sf ../../src/octavo.ts node_modules/.bin/octavo; fi
