// Long: it installs and compiles the output of three generators.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { promisify } from "node:util";
import type { Seen, Service } from "../../generators/seen.ts";
import { withSite } from "../../scripts/examples.ts";
import { temporaryFolder } from "../harness.ts";

/**
 * Clients generated from /api/openapi.json by third-party generators compile under `strict`; they read, filter, write,
 * upload and fetch an image at a running service.
 */

const root = new URL("../../", import.meta.url).pathname;
const own = join(root, "generators", "node_modules");
const run = promisify(execFile);
const node = (...words: string[]) => run(process.execPath, words, { cwd: project, maxBuffer: 2 ** 26 });

/** A copy of generators/ with the generated clients in `made/`. */
const project = temporaryFolder();
const made = join(project, "made");

/** Types with what a generator may stumble over. */
const odd = [
  {
    id: "odd-1",
    title: 'A "type" */ with `odd` text',
    schema: {
      $anchor: "top",
      $defs: { name: { type: "string" }, "a/b": { $anchor: "there", type: "integer" } },
      properties: {
        name: { $ref: "#/$defs/name" },
        "a/b": { $ref: "#there" },
        pair: { prefixItems: [{ const: 1 }, { enum: ["a", null] }], items: false },
        again: { $ref: "#" },
        other: { $ref: "/types/odd_2" },
        deep: { $ref: "/types/odd_2#/$defs/name" },
        maybe: { anyOf: [{ type: "null" }, { type: ["string", "number"] }] },
      },
      additionalProperties: false,
    },
  },
].toSpliced(0, 0, {
  id: "odd_2",
  title: "",
  schema: { $defs: { name: { type: "string", pattern: "^a" } }, additionalProperties: { type: "boolean" } },
} as never);

const generators: Record<string, string[]> = {
  "openapi-typescript": [
    join(own, "openapi-typescript/bin/cli.js"),
    "openapi.json",
    "-o",
    "made/openapi-typescript.ts",
  ],
  "hey-api": [join(own, "@hey-api/openapi-ts/bin/run.js"), "-i", "openapi.json", "-o", "made/hey-api"],
  oazapfts: [join(root, "node_modules/oazapfts/dist/cli.js"), "openapi.json", "made/oazapfts.ts"],
};

before(async () => {
  cpSync(join(root, "generators"), project, { recursive: true, filter: (from) => !from.startsWith(own) });
  symlinkSync(join(root, "node_modules"), join(project, "node_modules"));
  mkdirSync(made);
  const description = await withSite(async ({ app, tokens }) => {
    const headers = { Authorization: `Bearer ${tokens.management}`, "X-Access-Token": tokens.access };
    const put = (type: object) =>
      fetch(`${app.url}/api/types`, {
        method: "PUT",
        headers: { ...headers, "Content-Type": "application/json" },
        body: JSON.stringify(type),
      });
    for (const type of odd) assert.equal((await put(type)).status, 200);
    return (await fetch(`${app.url}/api/openapi.json`, { headers })).text();
  });
  for (const name of ["Entry_movie", "Type_movie", "Entry_odd-1"])
    assert.ok(JSON.parse(description).components.schemas[name]);
  writeFileSync(join(project, "openapi.json"), description);
});

describe("a generated client", () => {
  for (const [name, words] of Object.entries(generators)) {
    test(`${name} makes one`, async () => {
      const { stderr } = await node(...words);
      assert.doesNotMatch(stderr, /error|warn/i);
    });
  }

  test("all generated clients compile under strict", async () => {
    const tsc = join(own, "typescript/bin/tsc");
    const { stdout } = await node(tsc, "-p", ".").catch((error: { stdout: string }) => error);
    assert.equal(stdout, "");
  });

  for (const name of Object.keys(generators)) {
    test(`${name} reads, filters, writes, uploads and fetches an image`, async () => {
      const { use } = (await import(join(project, "out", `${name}.js`))) as { use(service: Service): Promise<Seen> };
      const seen = await withSite(({ app, tokens }) => use({ url: app.url, tokens }));
      assert.deepEqual(seen, {
        one: "Alien",
        root: ["Articles", "Authors", "Movies"],
        flat: ["Alien", "Arrival"],
        nested: ["Solaris", "Metropolis"],
        created: "movies/dune",
        refused: "entry_exists",
        uploaded: "day.txt",
        image: "image/png",
      } satisfies Seen);
    });
  }
});
