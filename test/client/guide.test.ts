import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { promisify } from "node:util";
import { startOctavo } from "../cli/octavo.ts";
import { temporaryFolder } from "../harness.ts";
import { check, projectWithClient, strict } from "./project.ts";

/** client/README.md: its examples are one program, which is checked and run on the sample site. */

const guide = readFileSync(new URL("../../client/README.md", import.meta.url), "utf8");
const program = [...guide.matchAll(/^```ts\n(.*?)^```/gms)].map(([, example]) => example).join("\n");
const project = projectWithClient();
const signingKey = "a key of the guide, thirty-two bytes";

before(() => writeFileSync(join(project, "guide.ts"), program));

test("the guide's examples are sound for a strict compiler", () => {
  assert.equal(check(project, ...strict, "guide.ts", "--lib", "esnext", "--types", "node", "--skipLibCheck"), "");
});

test("the guide's examples print what it says, on the sample site", async () => {
  const env = { OCTAVO_SIGNING_KEY: signingKey };
  const service = await startOctavo(["--demo"], { cwd: temporaryFolder(), env });
  const token = (kind: string) => service.lines.join("\n").match(new RegExp(`^ +${kind} +(oct_\\w+\\S*)`, "m"))?.[1];
  const run = promisify(execFile)(process.execPath, ["guide.ts"], {
    cwd: project,
    env: {
      PATH: process.env.PATH,
      ...env,
      OCTAVO_URL: service.url,
      OCTAVO_TOKEN: token("management"),
      OCTAVO_ACCESS_TOKEN: token("access"),
      OCTAVO_IMAGES_TOKEN: token("images"),
    },
  });
  const { stdout } = await run;
  const said = [...program.matchAll(/console\.log\(.*\); \/\/ (.+)$/gm)].flatMap(([, text = ""]) => text.split(" / "));
  assert.ok(said.length > 20);
  assert.deepEqual(
    stdout
      .trim()
      .split("\n")
      .map((line) => line.trim()),
    said,
  );
});
