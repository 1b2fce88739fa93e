#!/bin/sh
# After npm ci: where the machine's own Node is 24 or newer, it is the one to use. The pinned one is for older machines,
# and being built against glibc it would not even start on others.
own=$("${npm_node_execpath:-node}" -p 'process.versions.node.split(".")[0]' 2>/dev/null) || exit 0
if [ "$own" -ge 24 ]; then rm -f node_modules/.bin/node; fi
