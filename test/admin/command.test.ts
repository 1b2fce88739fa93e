import "../env.ts";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { signCommand } from "../../admin/src/model/image/sign-command.ts";

/** The words that a shell splits a command into, without running it. */
const wordsOf = (command: string): string[] =>
  execFileSync("sh", ["-c", `npx() { printf '%s\\n' "$@"; }\n${command}`], { encoding: "utf8" })
    .trimEnd()
    .split("\n");

test("the sign command passes any file name through the shell unchanged", () => {
  for (const name of ["sub folder/photo.jpg", "it's; touch x.jpg", '$(id) `id` "&|>*?~#%!.jpg']) {
    assert.deepEqual(wordsOf(signCommand(name, {})), ["octavo", "sign", name]);
  }
  assert.deepEqual(wordsOf(signCommand("--file", { w: "100", mark: "o'brien $(id).png" })), [
    ...["octavo", "sign", "--args", "w=100&mark=o'brien%20%24(id).png", "--", "--file"],
  ]);
});
