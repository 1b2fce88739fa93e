import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

/** The size of the client that its pages name: all of it in one file, as a bundler makes it, minified and gzipped. */

const root = new URL("../../", import.meta.url).pathname;

test("README.md and the client's page name the size of the client, and the same one", async () => {
  const { outputFiles } = await build({
    entryPoints: [`${root}client/src/client.ts`],
    ...{ bundle: true, minify: true, format: "esm", target: "es2022", write: false },
  });
  const bytes = gzipSync(outputFiles[0]?.contents ?? "", { level: 9 }).length;
  const named = ["README.md", "client/README.md"].map((page) => {
    const [, figure] = /([\d.]+) KB gzipped/.exec(readFileSync(root + page, "utf8")) ?? [];
    return Number(figure);
  });
  assert.equal(named[0], named[1]);
  // Half a tenth of a kilobyte is what rounding takes, and some bytes more a change that nobody downloads for.
  assert.ok(Math.abs((named[0] as number) * 1000 - bytes) < 100, `${named[0]} KB is said; it is ${bytes} bytes`);
});
