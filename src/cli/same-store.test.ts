// Slow: it starts a service in each way to name a store.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { beginOctavo, runOctavo, shell, startOctavo } from "../../test/cli/octavo.ts";
import { temporaryFolder, until } from "../../test/harness.ts";
import { createDatabase, lacksPostgres } from "../../test/postgres.ts";
import { bucketEnv, checksSignatures, useS3 } from "../../test/s3-server.ts";

/** Commands beside the service open its store and never create another one. */

const main = new URL("../main.ts", import.meta.url).pathname;
const makeBucket = useS3();

/** The first command that a start on an empty store prints, with the program of this checkout. */
const hintOf = (lines: readonly string[]): string => {
  const hint = lines.find((line) => line.includes("octavo token create --kind management")) ?? "";
  return hint.trim().replace("npx octavo", `'${process.execPath}' '${main}'`);
};

const ways: [string, (folder: string) => { words: string[]; env?: Record<string, string> }][] = [
  ["a flag", (folder) => ({ words: ["--data", join(folder, "my data")] })],
  ["a variable", (folder) => ({ words: [], env: { OCTAVO_DATA: join(folder, "in the environment") } })],
  [
    "a settings file",
    (folder) => {
      const file = join(folder, "it's.json");
      writeFileSync(file, JSON.stringify({ data: join(folder, "in a file") }));
      return { words: ["--config", file] };
    },
  ],
];
for (const [what, make] of ways) {
  test(`a start prints the command that creates a token in its store, set by ${what}`, async () => {
    const folder = temporaryFolder();
    const { words, env = {} } = make(folder);
    const running = await startOctavo(words, { cwd: folder, env });
    const made = await shell(hintOf(running.lines));
    assert.equal(made.code, 0, made.err);
    const list = await runOctavo(["token", "list", "--json", ...words], { cwd: folder, env });
    assert.equal(JSON.parse(list.out).tokens.length, 1);
    assert.equal(await running.stop("SIGTERM"), 0);
  });
}

test("octavo alone takes settings; every command in its folder means the store that it made there", async () => {
  const cwd = temporaryFolder();
  const env = { OCTAVO_LOG: "off" };
  const alone = beginOctavo(["--port", "0"], { cwd, env });
  await until(
    () => /answers on http/.test(alone.output.out),
    () => `it did not start: ${alone.output.err}`,
  );
  assert.match(alone.output.out, /^The store was empty\. It now holds a small sample site/);
  const tokens = await runOctavo(["token", "list", "--json"], { cwd });
  assert.equal(JSON.parse(tokens.out).tokens.length, 4, tokens.err);
  assert.match((await runOctavo(["settings"], { cwd })).out, /^data +\.\/octavo-data +\.\/octavo-data$/m);
  assert.match((await runOctavo(["doctor"], { cwd })).out, /^ok +folder +\S+octavo-data can be read and written/m);
  alone.stop();
  assert.equal(await alone.ended, 0);
  assert.deepEqual(readdirSync(cwd), ["octavo-data"]);

  const other = await runOctavo(["--data", "./x", "token", "list"], { cwd });
  assert.deepEqual([other.code, other.out], [2, ""]);
  assert.equal(other.err, "octavo: --data was given before the command; expected octavo COMMAND --data\n");
  mkdirSync(join(cwd, "data"));
  assert.match((await runOctavo(["settings"], { cwd })).out, /^data +\.\/data +default$/m);
});

test("on PostgreSQL hints name the variable without its secret, and no command creates a SQLite store", {
  skip: lacksPostgres(),
}, async () => {
  const folder = temporaryFolder();
  const data = join(folder, "data");
  const url = await createDatabase();
  const env = { OCTAVO_POSTGRES_URL: url };
  const [cwd, words] = [folder, ["--data", data]];
  const before = await runOctavo(["token", "create", "--kind", "access", ...words], { cwd, env });
  assert.equal(before.code, 1);
  assert.match(before.err, /^octavo: the PostgreSQL database is empty: .*postgres_url.*octavo serve\n$/);
  const running = await startOctavo(words, { cwd, env });
  const output = running.lines.join("\n");
  assert.match(output, /The store in the PostgreSQL database \S+ on \S+ holds 0 entries/);
  assert.match(output, /with the same OCTAVO_POSTGRES_URL in the environment:/);
  assert.ok(!output.includes(url));
  const wrong = await runOctavo(["token", "create", "--kind", "access", ...words], { cwd });
  assert.equal(wrong.code, 1);
  assert.match(wrong.err, /^octavo: there is no octavo\.db in .*--data.*postgres_url.*octavo serve\n$/);
  assert.ok(!readdirSync(data).includes("octavo.db"));
  const right = await runOctavo(["token", "create", "--kind", "access", ...words], { cwd, env });
  assert.equal(right.code, 0, right.err);
  assert.equal(await running.stop("SIGTERM"), 0);
});

test("a wrong bucket is one clear line and exit code 1 at the start; one that does not answer is reported", async () => {
  const cwd = temporaryFolder();
  const bucket = await makeBucket();
  const wrong: [Record<string, string>, RegExp][] = [
    [{ OCTAVO_S3_BUCKET: "octavo-nowhere" }, /^octavo: the bucket octavo-nowhere at http:.* answered 404 .*s3_bucket/],
  ];
  // The other server accepts every credential.
  if (checksSignatures) wrong.push([{ OCTAVO_S3_SECRET_KEY: "wrong" }, /answered 403 \(the keys are wrong/]);
  for (const [change, expected] of wrong) {
    const env = { ...bucketEnv(bucket), ...change };
    const { code, err } = await runOctavo(["serve", "--port", "0"], { cwd, env });
    assert.equal(code, 1, err);
    assert.match(err, expected);
    assert.equal(err.trim().split("\n").length, 1, err);
  }
  const env = { ...bucketEnv(bucket), OCTAVO_S3_ENDPOINT: "http://127.0.0.1:1" };
  const begun = beginOctavo(["serve", "--port", "0"], { cwd, env });
  while (!begun.output.out.includes("answers on")) await new Promise((resolve) => setTimeout(resolve, 20));
  assert.match(begun.output.err, /"id":"bucket","error":.*did not answer.*ECONNREFUSED/);
  begun.stop();
  assert.equal(await begun.ended, 0);
});
