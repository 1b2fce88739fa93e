#!/bin/sh
# After npm ci, in node_modules/.bin of this checkout.
# node: where the machine's own Node is 24 or newer, it is the one to use. The pinned one is for older machines, and
# being built against glibc it would not even start on others.
# npx octavo runs this again: npm installs the checkout into its cache, perhaps on the pinned Node, as in a test. That one
# is not the machine's.
# octavo: npm links the commands of dependencies, not the checkout's own; without the link npx asks whether it may
# install the package, and does so into its cache.
own=$("${npm_node_execpath:-node}" -p 'process.versions.node.split(".")[0]' 2>/dev/null) || exit 0
case ${npm_node_execpath:-} in */node_modules/node-linux-*) own=0 ;; esac
if [ "$own" -ge 24 ]; then
  rm -f node_modules/.bin/node
elif ! node_modules/.bin/node -v >/dev/null 2>&1; then
  echo "Octavo needs Node 24 or newer: the one it brings does not run on this machine. Install one, then npm ci again." >&2
fi
if [ -d node_modules/.bin ]; then ln -sf ../../src/main.ts node_modules/.bin/octavo; fi
