// Slow: it runs compilers, services and the programs of the guides.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { promisify } from "node:util";
import { commonEnv, startOctavo } from "../cli/octavo.ts";
import { temporaryFolder } from "../harness.ts";
import { check, projectWithClient, strict } from "./project.ts";

/** The examples of each guide form one program, which is type-checked and run on the sample site. */

const guides = [
  "README.md",
  "client/README.md",
  "docs/getting-started.md",
  "docs/queries.md",
  "docs/search.md",
  "docs/undo.md",
  "docs/staged.md",
  "docs/releases.md",
  "docs/types.md",
  "docs/rendering.md",
  "docs/batch.md",
  "docs/nightly-import.md",
  "docs/feed.md",
  "docs/webhooks.md",
  "docs/purge.md",
  "docs/pictures.md",
  "docs/agents.md",
  "docs/uploads.md",
];

function programOf(guide: string): string {
  const text = readFileSync(new URL(`../../${guide}`, import.meta.url), "utf8");
  return [...text.matchAll(/^```ts\n(.*?)^```/gms)].map(([, example]) => example).join("\n");
}

/** The program of each guide, by its file in the project. */
const programs = new Map(guides.map((guide, i) => [`guide-${i}.ts`, programOf(guide)]));
const project = projectWithClient();
const signingKey = "a key of the guide, thirty-two bytes";

before(() => {
  for (const [file, program] of programs) writeFileSync(join(project, file), program);
});

test("the guides' examples compile under strict", () => {
  assert.equal(
    check(project, ...strict, ...programs.keys(), "--lib", "esnext", "--types", "node", "--skipLibCheck"),
    "",
  );
});

const options = `
import type * as octavo from "@octavo/client";
import type { SignOptions } from "@octavo/client/sign";

type Refusing<T> = { [K in keyof T]-?: T extends Record<K, T[K]> ? never : { [_ in K]: undefined } extends Pick<T, K> ? never : K };
type Refused<T> = Refusing<T>[keyof T];
type Movie = { title: string };
type None =
  | Refused<octavo.ClientConfig>
  | Refused<octavo.WriteOptions>
  | Refused<octavo.UpdateOptions>
  | Refused<octavo.DeleteOptions>
  | Refused<octavo.HistoryQuery>
  | Refused<octavo.TrashQuery>
  | Refused<octavo.TrashRestoreOptions>
  | Refused<octavo.PublishOptions>
  | Refused<octavo.StagedQuery>
  | Refused<octavo.EntryInput>
  | Refused<octavo.Query<Movie>>
  | Refused<octavo.PageQuery<Movie>>
  | Refused<octavo.Projection<Movie>>
  | Refused<octavo.FileQuery<Movie>>
  | Refused<octavo.UploadOptions>
  | Refused<octavo.TokenInput>
  | Refused<octavo.TokenChange>
  | Refused<octavo.PreviewInput>
  | Refused<octavo.SrcsetArguments>
  | Refused<octavo.ImageArguments>
  | Refused<SignOptions>
  | Refused<NonNullable<Parameters<octavo.Octavo["events"]>[0]>>;
/** Fails with the names of the options that refuse undefined. */
export const none: Record<None, never> = {};
`;

test("every optional option accepts undefined", () => {
  writeFileSync(join(project, "options.ts"), options);
  assert.equal(check(project, ...strict, "options.ts", "--lib", "esnext,dom", "--types", "node", "--skipLibCheck"), "");
});

for (const [i, [file, program]] of [...programs].entries()) {
  test(`the examples of ${guides[i]} print the documented output on the sample site`, () => run(file, program));
}

async function run(file: string, program: string): Promise<void> {
  const env = {
    ...{ OCTAVO_SIGNING_KEY: signingKey, OCTAVO_WEBHOOK_PRIVATE: "on", OCTAVO_CACHE_GROUPS: "xkey" },
    ...{
      OCTAVO_IMAGE_PRESETS: "card:w=400&h=300&fit=crop-focal&fm=auto; hero:w=960&fm=auto",
      OCTAVO_IMAGE_PUBLIC: "card,hero",
    },
  };
  const service = await startOctavo(["--demo"], { cwd: temporaryFolder(), env });
  const token = (kind: string) => service.lines.join("\n").match(new RegExp(`^ +${kind} +(oct_\\w+\\S*)`, "m"))?.[1];
  const { stdout } = await promisify(execFile)(process.execPath, [file], {
    cwd: project,
    env: {
      ...commonEnv,
      ...env,
      OCTAVO_URL: service.url,
      OCTAVO_TOKEN: token("management"),
      OCTAVO_ACCESS_TOKEN: token("access"),
      OCTAVO_IMAGES_TOKEN: token("images"),
    },
  });
  const expected = [...program.matchAll(/console\.log\(.*\); \/\/ (.+)$/gm)].flatMap(([, text = ""]) =>
    text.split(" / "),
  );
  // The front page has six lines in all.
  assert.ok(expected.length > (program.split("\n").length > 10 ? 5 : 1));
  assert.deepEqual(
    // HTML ends with a line feed.
    stdout
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== ""),
    expected,
  );
}
