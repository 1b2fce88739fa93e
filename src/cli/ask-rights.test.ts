// Slow: it runs each command several times, and processes.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { siteWriter } from "../../test/cli/flextype.ts";
import { makeStore, runOctavo, runProcess } from "../../test/cli/octavo.ts";
import { temporaryFolder, useWorld } from "../../test/harness.ts";
import { tokenResources } from "../core/access/token.ts";
import { features } from "../features.ts";

/** The table of rights in docs/elsewhere.md: with these each command with --url may do its work, with less it may not. */

const folder = temporaryFolder();
const world = useWorld();
const page = readFileSync(new URL("../../docs/elsewhere.md", import.meta.url), "utf8");

type Row = { commands: string[]; resources: string[]; isOneOf: boolean; needsAccess: boolean };

const namesIn = (cell = ""): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name as string);
const rows: Row[] = [...page.matchAll(/^\| (`\w+[^|]*) \| ([^|]*) \| ?([^|]*)\|$/gm)]
  .map(([, commands, resources = "", access = ""]) => ({
    commands: namesIn(commands),
    resources: namesIn(resources),
    isOneOf: resources.startsWith("one of"),
    needsAccess: access.includes("needed"),
  }))
  .filter(
    ({ resources }) =>
      resources.length > 0 && resources.every((name) => (tokenResources as readonly string[]).includes(name)),
  );

/** Commands with --url that have a page of their own. */
const elsewhere = ["call", "mcp", "mirror"];

test("every command with --url is in the table, and no other", async () => {
  const all = (await Promise.all(features.map(({ commands }) => commands?.() ?? []))).flat();
  const names = all.filter(({ options }) => "url" in options).map(({ name }) => name);
  assert.deepEqual(
    rows.flatMap(({ commands }) => commands).toSorted(),
    names.filter((name) => !elsewhere.includes(name)).toSorted(),
  );
});

const site = siteWriter(folder)({
  "project/entries/a/entry.md": "---\ntitle: A\n---\n",
  "project/uploads/b/c.txt": "text",
  "project/tokens/images/7d1f2a562f3f4d6d8f526a3a4f0e7b22/token.yaml": "title: T\nstate: enabled\n",
});
const operation = (path: string, body: object, method = "POST") => JSON.stringify({ method, path, body });
writeFileSync(
  join(folder, "all.jsonl"),
  [
    operation("/api/entries", { id: "e", data: {} }),
    operation("/api/folders", { path: "f" }),
    operation("/api/registry", { id: "x.y", value: 1 }, "PUT"),
    operation("/api/files/meta", { path: "b/c.txt", field: "x", value: "y" }),
  ].join("\n"),
);
writeFileSync(join(folder, "type.json"), '{"id": "t", "schema": true}');
mkdirSync(join(folder, "types"));
writeFileSync(join(folder, "types", "u.json"), '{"id": "u", "schema": true}');
writeFileSync(join(folder, "plan.json"), '[{"type": "t", "drop": "/gone"}]');

const none = "4f8a61c2-0b7d-4e95-9c38-d216e5a7b043";
/** The words of commands behind their names; others take an id, which nothing has. */
const words: Record<string, string[]> = {
  "types list": [],
  "types check": [],
  "types generate": [],
  "types put": ["type.json"],
  "types pull": ["pulled"],
  "types apply": ["types"],
  "types rename": ["nothing", "other"],
  "types migrate": ["plan.json"],
  export: ["export", "--replace"],
  import: [site, "--into"],
  batch: ["all.jsonl", "--dry-run"],
  search: ["nothing"],
  "release list": [],
  "release add": [none, "nothing"],
  "release remove": ["nothing"],
  "staged list": [],
  "translations export": ["de", "-"],
  "translations import": ["plan.json"],
  "token list": [],
  "token create": ["--kind", "images"],
  "token update": [none, "--label", "x"],
  "people list": [],
  "people invite": ["ada@example.org", "--role", "owner"],
  "people role": [none, "owner"],
  "people bind": [none, "--subject", "1"],
  "webhook list": [],
  "webhook create": ["https://example.org/hook"],
  "webhook resend": [none, "1"],
  "trash list": [],
  "trash restore": ["1"],
  "trash purge": ["1"],
  verify: [],
};

const refusals = /OCTAVO_TOKEN is good, but not for this; expected a token with the scope/;

let number = 0;

/** Runs the command with a token of these resources; says how it was refused for its rights. */
async function refusalOf(name: string, resources: readonly string[], withAccess: boolean): Promise<string> {
  const { secret } = await world.issue("management", [...resources] as never);
  const env = { OCTAVO_TOKEN: secret, ...(withAccess && { OCTAVO_ACCESS_TOKEN: world.token.access }) };
  // What an import brought is not written again.
  const into = name === "import" ? [`p${++number}`] : [];
  const line = [...name.split(" "), ...(words[name] ?? [none]), ...into, "--url", world.app.url];
  const { code, out, err } = await runOctavo(line, { cwd: folder, env });
  const text = out + err;
  assert.doesNotMatch(text, /^ {4}at /m, line.join(" "));
  if (/OCTAVO_ACCESS_TOKEN is missing/.test(text)) return `access ${code}`;
  return refusals.test(text) ? `scope ${code}` : "";
}

test("with the rights of the table each command may do its work, with less it says what is missing", async () => {
  for (const { commands, resources, isOneOf, needsAccess } of rows) {
    for (const name of commands) {
      const enough = isOneOf ? resources.map((resource) => [resource]) : [resources];
      for (const all of enough) assert.equal(await refusalOf(name, all, needsAccess), "", `${name} with ${all}`);
      const less = isOneOf ? [["registry"]] : resources.map((resource) => otherThan(resources, resource));
      for (const some of less)
        assert.equal(await refusalOf(name, some, needsAccess), "scope 1", `${name} with ${some} alone`);
      if (needsAccess) assert.equal(await refusalOf(name, resources, false), "access 2", `${name} with one token`);
    }
  }
});

/** The others; another that does not help where it was the only one. */
function otherThan(resources: readonly string[], resource: string): string[] {
  const rest = resources.filter((one) => one !== resource);
  return rest.length > 0 ? rest : ["registry"];
}

test("every command of the page runs", async () => {
  const data = join(folder, "data");
  await makeStore(data);
  const env = { OCTAVO_TOKEN: world.token.management, OCTAVO_ACCESS_TOKEN: world.token.access, OCTAVO_DATA: data };
  const lines = [...page.matchAll(/^npx octavo (.+)$/gm)].map(([, line]) => line as string);
  assert.equal(lines.length, 4);
  for (const line of lines) {
    const words = line.replace("https://staging.example.org", world.app.url).replace("import site", `import ${site}`);
    const { code, err } = await runOctavo(words.split(" "), { cwd: folder, env });
    assert.equal(code, 0, `${line}: ${err}`);
  }
});

test("a CI checks its types against a service, with one token of entries and nothing else of this machine", async () => {
  const { secret: token } = await world.issue("management", ["entries"]);
  // What is wrong here is not read.
  const env = { OCTAVO_TOKEN: token, OCTAVO_PORT: "x", OCTAVO_DATA: "/nowhere" };
  rmSync(join(folder, "octavo.d.ts"), { force: true });
  const generate = (...more: string[]) =>
    runProcess(["types", "generate", "--out", "octavo.d.ts", "--url", world.app.url, ...more], { cwd: folder, env });
  const stale = await generate("--check");
  assert.deepEqual([stale.code, stale.out], [1, ""], stale.err);
  assert.match((await generate()).out, /^octavo\.d\.ts is written: \d+ types?\.\n$/);
  const fresh = await generate("--check");
  assert.deepEqual([fresh.code, /^octavo\.d\.ts is up to date: /.test(fresh.out)], [0, true], fresh.err);
  assert.match(readFileSync(join(folder, "octavo.d.ts"), "utf8"), /export type T = unknown|export type T\b/);
});
