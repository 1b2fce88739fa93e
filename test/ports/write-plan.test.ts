import assert from "node:assert/strict";
import { test } from "node:test";
import { accessOf, type LocaleSight } from "../../src/core/access/access.ts";
import type { Call } from "../../src/core/sql/call.ts";
import { migrate, Sqlite } from "../../src/core/sql/engine/sqlite/connection.ts";
import type { RowsWrite, Value } from "../../src/core/sql/sql.ts";
import { Writer } from "../../src/core/sql/writes.ts";
import { allNouns } from "../../src/nouns.ts";
import { resolvePath } from "../../src/translation/name-store.ts";
import { listStaged } from "../../src/working-copy/copy-store.ts";
import { getRelease } from "../../src/working-copy/release-rows.ts";
import { copyColumns, entriesOfCopies, toCopy } from "../../src/working-copy/staged-rows.ts";
import { closing } from "../ending.ts";
import { sqliteOptions } from "./sqlite-options.ts";

/** Notes what it is asked. */
class Noting extends Sqlite {
  readonly texts = new Set<string>();

  override row(text: string, ...values: Value[]) {
    this.texts.add(text);
    return super.row(text, ...values);
  }
  override rows(text: string, ...values: Value[]) {
    this.texts.add(text);
    return super.rows(text, ...values);
  }
  override rowsAll(text: string, sets: readonly Value[][]) {
    this.texts.add(text);
    return super.rowsAll(text, sets);
  }
  override run(text: string, ...values: Value[]) {
    this.texts.add(text);
    return super.run(text, ...values);
  }
  override runAll(write: string | RowsWrite, sets: readonly Value[][]) {
    this.texts.add(typeof write === "string" ? write : write.text);
    super.runAll(write, sets);
  }

  /** The steps of the plans of all texts so far that look at each entry, or at each below a parent. */
  scans(): string[] {
    return [...this.texts].flatMap((text) => {
      const steps = super.rows(`EXPLAIN QUERY PLAN ${text}`).map((step) => String(step[3]));
      return steps
        .filter((step) => /^S(CAN entry\b|EARCH entry .*\(parent=\?\))/.test(step))
        .map((step) => `${step}: ${text}`);
    });
  }
}

type Write = (name: string, ...args: unknown[]) => Promise<void>;
const input = { data: "{}", isMergePatch: false, fields: {} };

/** In an empty store without statistics. */
const onStore = (work: (made: Noting, write: Write) => Promise<void>): Promise<void> =>
  closing(new Noting(sqliteOptions(), "write"), (made) => {
    migrate(made);
    const writer = new Writer(allNouns, made, ["*"], async () => undefined);
    return work(made, async (name, ...args) => {
      const [reply] = await writer.run([{ id: 1, name, args: [...args, { actor: "test", nowSeconds: 1 }] } as Call]);
      assert.ok(reply && !("error" in reply), JSON.stringify(reply));
    });
  });

test("the name of a translation is looked up by the name, not below its parent", () =>
  onStore(async (made, write) => {
    for (const slug of ["a", "b"]) await write("createEntry", slug, input);
    made.texts.clear();
    for (const slug of ["a", "b"]) await write("putTranslation", slug, "de", { input, name: `${slug}-de` });
    const access = { ...accessOf({ kind: "management" }, 1), locale: { chain: ["de"] } as unknown as LocaleSight };
    assert.equal(await resolvePath(made, "b-de", access), "b");
    assert.deepEqual(made.scans(), []);
  }));

test("staging, a release and its undo find their entries by an index, in a store without statistics", () =>
  onStore(async (made, write) => {
    const release = { id: "r", title: "R", state: "open", atSeconds: null, scheduledBy: null, count: 0 };
    const reach = { paths: null };
    await write("createRelease", { ...release, createdAtSeconds: 1, createdBy: "test" });
    for (const slug of ["a", "b", "c"]) {
      await write("createEntry", slug, input);
      await write("stageEntry", slug, { ...input, data: `{"n":1}`, release: "r" });
    }
    made.texts.clear();
    await write("stageEntry", "a", { ...input, data: `{"n":2}`, release: "r" });
    assert.equal((await listStaged(made, { paths: null, after: undefined, limit: 10 })).length, 3);
    assert.equal((await listStaged(made, { paths: null, after: undefined, limit: 10 }, "r")).length, 3);
    assert.equal((await getRelease(made, "r")).count, 3);
    const copies = made.rows(`SELECT ${copyColumns} FROM working_copy`).map(toCopy);
    assert.equal((await entriesOfCopies(made, copies)).filter(Boolean).length, 3);
    await write("publishRelease", "r", reach);
    await write("undoRelease", "r", reach);
    assert.ok(made.texts.size > 20);
    assert.deepEqual(made.scans(), []);
  }));
