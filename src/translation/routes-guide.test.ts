import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { runOctavo, startOctavo } from "../../test/cli/octavo.ts";
import { temporaryFolder } from "../../test/harness.ts";

/** The commands of docs/two-languages.md: those that make tokens; the others in one shell, and what the page says that they print. */

const page = readFileSync(new URL("../../docs/two-languages.md", import.meta.url), "utf8");
const blocks = [...page.matchAll(/^```(sh|text)\n([\s\S]+?)^```/gm)].map(([, kind, text = ""]) => ({ kind, text }));
const cwd = temporaryFolder();
const data = ["--data", join(cwd, "data")];

/** The secret that a command of the page makes. */
async function secretOf(kind: string): Promise<string> {
  const [, words = ""] = new RegExp(`^npx octavo (token create --kind ${kind}.*)$`, "m").exec(page) ?? [];
  const { out } = await runOctavo([...words.split(" "), ...data, "--json"], { cwd });
  return JSON.parse(out).token;
}

test("every command of the guide prints what stands below it", async () => {
  const { url } = await startOctavo([...data, "--locales", "en,de"], { cwd });
  const mark = "---- the next block";
  const commands = blocks.filter(({ kind }) => kind === "sh").map(({ text }) => text);
  const printed = blocks.flatMap(({ kind }, i) => (kind === "sh" ? [blocks[i + 1]] : []));
  const expected = printed.map((next) => (next?.kind === "text" ? next.text : ""));
  const env = {
    PATH: process.env.PATH,
    OCTAVO_URL: url,
    DELIVERY_TOKEN: await secretOf("delivery"),
    MANAGEMENT_TOKEN: await secretOf("management"),
    ACCESS_TOKEN: await secretOf("access"),
  };
  const { stdout } = await promisify(execFile)("sh", ["-c", commands.join(`echo '${mark}'\n`)], { env });
  assert.deepEqual(stdout.split(`${mark}\n`), expected);
});
