#!/bin/sh
# Runs after npm ci, on node_modules/.bin of this checkout.
# node: if the system's Node is 24.16 or newer, it is used: the SQLite of older ones can damage databases (decision 70). The pinned one is for older systems; it is built against glibc
# and does not start on others.
# npx octavo runs this again: npm installs the checkout into its cache, possibly with the pinned Node, as in a test, which
# must not be mistaken for the system's.
# octavo: npm links the commands of dependencies, but not those of the checkout; without the link npx asks to install
# the package into its cache.
recent='const [major, minor] = process.versions.node.split(".").map(Number); major > 24 || (major === 24 && minor >= 16)'
own=$("${npm_node_execpath:-node}" -p "$recent" 2>/dev/null) || exit 0
case ${npm_node_execpath:-} in */node_modules/node-linux-*) own=false ;; esac
if [ "$own" = true ]; then
  rm -f node_modules/.bin/node
elif ! node_modules/.bin/node -v >/dev/null 2>&1; then
  echo "Octavo needs Node 24.16 or newer: the one it brings does not run on this machine. Install one, then npm ci again." >&2
fi
if [ -d node_modules/.bin ]; then ln -sf ../../src/octavo.ts node_modules/.bin/octavo; fi
