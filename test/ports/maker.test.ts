import assert from "node:assert/strict";
import { test } from "node:test";
import type { Slug } from "../../src/core/path.ts";
import { Sqlite } from "../../src/core/sql/engine/sqlite/connection.ts";
import { migrationsAfter } from "../../src/core/sql/migration.ts";
import { openSqliteStore } from "../../src/database.ts";
import { sqliteOptions } from "./sqlite-options.ts";

/** Stores from before previews and working copies knew who made them. Contract, part two, §11. */

const uuid = "00000000-0000-4000-8000-000000000001";

test("previews of an earlier store get their maker from the log; a copy there is that of who changed it last", async () => {
  const options = sqliteOptions();
  const old = new Sqlite(options, "write");
  for (const text of migrationsAfter(0).slice(0, 11)) old.exec(text);
  const tokens = ["m management", "p preview", "q preview", "r preview"].map((token, i) => {
    const [id, kind] = token.split(" ");
    const actor = ["octavo", "m", "gone", "octavo"][i];
    return `INSERT INTO token (id, hash, kind, resources, label, environment, state, limit_calls, calls, expires_at, created_at,
        paths, writes) VALUES ('${id}', '${String(i).repeat(64)}', '${kind}', 'entries', '', '', 'enabled', 0, 0, 5000, 1, '',
        'all');
      INSERT INTO event (sequence, at, kind, subject, count, actor) VALUES (${i + 1}, 1, 'token.create', '${id}', 1, '${actor}');`;
  });
  old.exec(`PRAGMA user_version = 11; ${tokens.join("")}
    INSERT INTO parent (id, path) VALUES (1, '');
    INSERT INTO entry (slug, uuid, data, published_at, created_at, modified_at, published_by, created_by, routable, visibility,
      revision, content_revision, parent, listing, index_partial, staged_revision)
    VALUES ('a', '${uuid}', '{"content":""}', 1, 1, 1, '', '', 1, 'visible', 1, 1, 1, 0, 0, 1);
    INSERT INTO staged (uuid, revision, data, removed, fields, staged_at, staged_by)
    VALUES ('${uuid}', 1, '{"n":1}', '[]', '{}', 1, 'm');`);
  old.close();
  const store = await openSqliteStore(options);
  try {
    const rows = await store.tokens.list();
    assert.deepEqual(
      rows.map(({ id, maker, state }) => [id, maker, state]),
      [
        ["m", null, "enabled"],
        ["p", "m", "enabled"],
        ["q", "gone", "disabled"],
        ["r", null, "enabled"],
      ],
    );
    const by = (actor: string) => ({ actor, nowSeconds: 10 });
    const other = { data: '{"more":1}', isMergePatch: false, fields: {} };
    await store.staged.stage("a" as Slug, other, by("t"));
    const drop = (actor: string, keys?: string[]) =>
      store.staged.discard("a" as Slug, { keys, onlyOwn: true }, by(actor));
    await assert.rejects(drop("t"), { code: "scope_missing" });
    await assert.rejects(drop("t", ["n"]), { code: "scope_missing" });
    await drop("m", ["n"]);
    await drop("t");
  } finally {
    await store.close();
  }
});
