import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { promisify } from "node:util";
import { useWorld } from "../../test/harness.ts";

/** The commands of docs/two-languages.md in one shell, and what the page says that they print. */

const page = readFileSync(new URL("../../docs/two-languages.md", import.meta.url), "utf8");
const blocks = [...page.matchAll(/^```(sh|text)\n([\s\S]+?)^```/gm)].map(([, kind, text = ""]) => ({ kind, text }));
const world = useWorld({ locales: "en,de" });

test("every command of the guide prints what stands below it", async () => {
  await world.ready;
  const mark = "---- the next block";
  const commands = blocks.filter(({ kind }) => kind === "sh").map(({ text }) => text);
  const printed = blocks.flatMap(({ kind }, i) => (kind === "sh" ? [blocks[i + 1]] : []));
  const expected = printed.map((next) => (next?.kind === "text" ? next.text : ""));
  const env = {
    PATH: process.env.PATH,
    OCTAVO_URL: world.app.url,
    DELIVERY_TOKEN: (await world.issue("delivery", ["entries"])).secret,
    MANAGEMENT_TOKEN: world.token.management,
    ACCESS_TOKEN: world.token.access,
  };
  const { stdout } = await promisify(execFile)("sh", ["-c", commands.join(`echo '${mark}'\n`)], { env });
  assert.deepEqual(stdout.split(`${mark}\n`), expected);
});
