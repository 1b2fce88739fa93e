// Slow: it runs the compilers and a service.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { cpSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { check } from "../client/project.ts";
import { temporaryFolder } from "../harness.ts";

/**
 * CONTRIBUTING, Add a noun: a noun is one folder and one line. A copy of the checkout gets the made-up noun `label` of
 * test/fixtures/label: its folder of src/, its methods of the client, its page; then the compilers, a service, the commands
 * and a backup know it.
 */

const root = new URL("../../", import.meta.url).pathname;
const folder = temporaryFolder();
const copied = ["src", "client", "admin", "api-docs", "scripts", "assets", "package.json", "tsconfig.json"];
for (const name of copied) {
  const filter = (from: string) => !/\/(?:node_modules|dist)$|\.test\.ts$/.test(from);
  cpSync(join(root, name), join(folder, name), { recursive: true, filter });
}
mkdirSync(join(folder, "docs"));
symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));

/** Changes one line of a file that is there. */
function change(file: string, before: string, after: string): void {
  const [first = "", ...rest] = readFileSync(join(folder, file), "utf8").split(before);
  assert.equal(rest.length, 1, before);
  writeFileSync(join(folder, file), `${first}${after}${rest[0]}`);
}

const newest = globSync("src/**/[0-9]*.sql", { cwd: root }).length;
for (const file of globSync("**/*.txt", { cwd: join(root, "test/fixtures/label") })) {
  const number = String(newest + 1).padStart(4, "0");
  const target = join(folder, file.slice(0, -".txt".length).replace("label.sql", `${number}-label.sql`));
  mkdirSync(dirname(target), { recursive: true });
  cpSync(join(root, "test/fixtures/label", file), target);
}

/** The variables of a checkout alone: the bundles of threads are of another one. */
const env = { PATH: process.env.PATH, HOME: folder };
const node = (...words: string[]): string =>
  execFileSync(process.execPath, words, { cwd: folder, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
const octavo = (...words: string[]): string => node("src/main.ts", ...words);

test("a noun is one folder of src/ and one line, one of the client and one, one of the admin page and one", () => {
  // The line, and its import.
  change(
    "src/features.ts",
    "import type { Feature }",
    'import { labelFeature } from "./label/feature.ts";\nimport type { Feature }',
  );
  change("src/features.ts", "  viewFeature,\n", "  viewFeature,\n  labelFeature,\n");
  change(
    "client/src/client.ts",
    "import { Views } from",
    'import { Labels } from "./label.ts";\nimport { Views } from',
  );
  change("client/src/client.ts", "    views: new", "    labels: new Labels(transport),\n    views: new");
  change(
    "admin/src/pages.tsx",
    "/** A page of the menu. */",
    'const LabelsPage = lazy(async () => ({ default: (await import("./label/labels-page.tsx")).LabelsPage }));\n\n/** A page of the menu. */',
  );
  change(
    "admin/src/pages.tsx",
    '  { page: "health"',
    '  { page: "labels", label: "Labels", icon: Shapes, resources: ["admin"], show: () => <LabelsPage /> },\n  { page: "health"',
  );
  // What npm run docs generates: the types of the client, the kinds of events of the page.
  node("scripts/client-api.ts");
  node("scripts/docs.ts");
  const { compilerOptions } = JSON.parse(readFileSync(join(root, "tsconfig.json"), "utf8"));
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions, include: ["src", "client/src", "api-docs"] }),
  );
  assert.equal(check(folder, "--project", "."), "");
  assert.equal(check(folder, "--project", "admin"), "");
  const tags = node(
    "-e",
    'const { operationTag } = await import("./api-docs/tag.ts"); console.log(operationTag("/api/labels"));',
  );
  assert.equal(tags.trim(), "Labels");
});

test("a service, the commands, the feed of events and a backup know it", async () => {
  const data = join(folder, "data");
  const child = spawn(process.execPath, ["src/main.ts", "serve", "--demo", "--data", data, "--port", "0"], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout });
  const tokens: Record<string, string> = {};
  let url = "";
  for await (const line of lines) {
    const [, kind, secret] = /^\s+(management|access)\s+(oct_\S+)/.exec(line) ?? [];
    if (kind && secret) tokens[kind] = secret;
    url = / answers on (\S+)/.exec(line)?.[1] ?? url;
    if (url) break;
  }
  const call = async (method: string, path: string, body?: object) => {
    const headers = {
      Authorization: `Bearer ${tokens.management}`,
      "X-Access-Token": tokens.access ?? "",
      "Content-Type": "application/json",
    };
    const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const text = await response.text();
    return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
  };
  try {
    assert.equal((await call("PUT", "/api/labels", { id: "new", title: "New" })).status, 200);
    assert.deepEqual((await call("GET", "/api/labels")).body.data, [{ id: "new", title: "New" }]);
    const missing = await call("DELETE", "/api/labels", { id: "none" });
    assert.deepEqual([missing.status, missing.body.code], [404, "label_not_found"]);
    const events = (await call("GET", "/api/events?limit=1000")).body.data as { kind: string; subject: string }[];
    assert.ok(events.some(({ kind, subject }) => kind === "label.put" && subject === "new"));
    assert.equal((await call("PUT", "/api/labels", { id: "two", title: "Two" })).status, 200);
  } finally {
    child.kill("SIGTERM");
  }
  const file = join(folder, "backup.tar");
  octavo("backup", file, "--data", data);
  const restored = join(folder, "restored");
  octavo("restore", file, "--data", restored);
  assert.equal(octavo("label", "list", "--data", restored), "new New\ntwo Two\n");
  assert.match(octavo("verify", "--data", restored), /in order|no faults|good/);
});
