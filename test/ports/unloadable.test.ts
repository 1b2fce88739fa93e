import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { siblingFile } from "../../src/core/lib/sibling.ts";
import { isProblem } from "../../src/core/problem.ts";
import { StoreThread } from "../../src/core/sql/engine/thread.ts";
import { RenderPool } from "../../src/image/sharp/pool.ts";
import { ProseThread } from "../../src/render/prose/thread.ts";
import { temporaryFolder } from "../harness.ts";

/** A worker whose code cannot be loaded never works: it is a failure of the service, with its cause, and not `busy`. */

const folder = temporaryFolder();
const file = (name: string, text?: string): URL => {
  const path = join(folder, name);
  if (text !== undefined) writeFileSync(path, text);
  return pathToFileURL(path);
};
const broken: [what: string, file: URL, cause: RegExp][] = [
  ["does not exist", file("missing.js"), /missing\.js/],
  ["lacks a module", file("lacking.mjs", 'import "./gone.js";'), /gone\.js/],
  ["lacks an export", file("renamed.mjs", 'import { gone } from "node:fs"; gone();'), /gone/],
  ["is no code", file("text.mjs", "not code"), /Unexpected identifier|SyntaxError/],
];

const failureOf = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => assert.fail("it did not fail"),
    (error: Error) => error,
  );
const causeOf = (error: Error): string => String((error.cause as Error | undefined)?.message);

for (const [what, module, cause] of broken) {
  describe(`a worker that ${what}`, () => {
    test("of texts", async (t) => {
      const thread = new ProseThread({ timeoutMs: 1000, idleMs: 1000, maxHeapMib: 64, file: module });
      t.after(() => thread.close());
      for (const _ of [1, 2]) {
        const error = await failureOf(thread.render([{ format: "markdown", text: "a" }]));
        assert.ok(!isProblem(error, "busy"), error.message);
        assert.match(causeOf(error), cause);
      }
    });

    for (const loses of ["outcome", "nothing"] as const) {
      test(`of the store, which loses ${loses}`, async (t) => {
        const heard: unknown[] = [];
        const onFailure = (failure: unknown) => void heard.push(failure);
        const thread = new StoreThread<{ read(): Promise<void> }>(module, {
          ...{ workerData: {}, maxPending: 1, loses, onFailure },
        });
        t.after(() => thread.close());
        for (const _ of [1, 2]) {
          const error = await failureOf(thread.call("read"));
          assert.ok(isProblem(error, "internal"), error.message);
          assert.match(causeOf(error), cause);
        }
        assert.equal(heard.length, 2);
      });
    }

    test("of pictures", async (t) => {
      const limits = { workers: 1, maxQueue: 1, timeoutMs: 5000, wallTimeoutMs: 20_000, idleMs: 1000 };
      const pool = new RenderPool({ ...limits, maxMemoryBytes: 512 * 1024 * 1024, module });
      t.after(() => pool.close());
      const error = await failureOf(pool.render({}));
      assert.match(error.message, /unstarted/);
      assert.match(error.message, cause);
    });
  });
}

test("a sibling has the extension of the module that names it", () => {
  assert.equal(siblingFile("file:///a/b/store.js", "worker").href, "file:///a/b/worker.js");
  assert.equal(siblingFile("file:///a/b/store.ts", "worker").href, "file:///a/b/worker.ts");
});
