import assert from "node:assert/strict";
import { test } from "node:test";
import { type Access, accessOf } from "../../src/core/access/access.ts";
import { type JsonObject, toJson } from "../../src/core/lib/json.ts";
import { wholeText } from "../../src/core/lib/long-text.ts";
import { parseCollection } from "../../src/core/list/list.ts";
import type { Asker } from "../../src/core/list/query.ts";
import type { Path, Slug } from "../../src/core/path.ts";
import { onEachEngine } from "./engines.ts";

/** Lists that no index serves: their time limit and cancellation. */

const scanBudgetMs = { delivery: 0, management: 60_000 };
const top = "list" as Slug;
const hash = "0".repeat(64);
const askerOf = (signal: AbortSignal): Asker => ({ client: "one", signal, makeRoom: () => undefined });
const bounds = { maxLimit: 1000, defaultLimit: 1000 };
const costly = parseCollection(
  top,
  toJson({ where: { key: "n", expr: "neq", value: "-1" }, order_by: { field: "uuid" }, limit: "1" }) as JsonObject,
  bounds,
);

onEachEngine(
  async (store) => {
    const context = { actor: "test", nowSeconds: 1 };
    await Promise.all(
      Array.from({ length: 700 }, (_, n) =>
        store.entries.create(`${top}/e${n}` as Slug, { data: `{"n":${n}}`, isMergePatch: false, fields: {} }, context),
      ),
    );

    test("above the time limit of its token a list is refused", async () => {
      const delivery = accessOf({ kind: "delivery" }, 10);
      await assert.rejects(store.entries.list(costly, delivery), { code: "filter_too_costly" });
      const { json } = await store.entries.list(costly, accessOf({ kind: "management" }, 10));
      assert.equal(JSON.parse(wholeText(json)).length, 1);
    });

    test("lists of files and of folders have the same limit, and stop when their client leaves", async () => {
      const { generation } = await store.ledger.keep(hash, 5, 1);
      const bytes = { type: "text/plain", hash, generation, size: 5, image: undefined, onConflict: "fail" } as const;
      const about = { title: undefined, description: undefined };
      await Promise.all(
        Array.from({ length: 300 }, async (_, n) => {
          await store.folders.create(`files/d${n}` as Path, context);
          await store.files.put("files" as Path, { name: `f${n}`, ...bytes, ...about }, context);
        }),
      );
      const query = parseCollection(
        "files" as Path,
        toJson({ order_by: { field: "full_url" }, limit: "1" }) as JsonObject,
        bounds,
      );
      const place = { root: "/uploads", base: "http://test" };
      const [delivery, management] = (["delivery", "management"] as const).map((kind) => accessOf({ kind }, 10));
      const lists = [
        (access: Access, asker?: Asker) => store.files.list(query, place, access, asker),
        (access: Access, asker?: Asker) => store.folders.list(query, "path", place, access, asker),
      ];
      for (const list of lists) {
        await assert.rejects(list(delivery as Access), { code: "filter_too_costly" });
        const { json } = await list(management as Access);
        assert.equal(JSON.parse(wholeText(json)).length, 1);
        const left = new AbortController();
        const asked = list(management as Access, askerOf(left.signal));
        left.abort();
        await assert.rejects(asked, { code: "busy", message: /client has left/ });
      }
    });

    test("a list waits for room for a large answer only where more than a few items are read", async () => {
      let asked = 0;
      const asker = { ...askerOf(new AbortController().signal), makeRoom: () => void asked++ };
      const few = parseCollection(top, toJson({ where: { key: "n", expr: "eq", value: "5" } }) as JsonObject, bounds);
      const access = accessOf({ kind: "management" }, 10);
      await store.entries.list(few, access, asker);
      assert.equal(asked, 0);
      await store.entries.list(costly, access, asker);
      assert.equal(asked, 1);
      const full = { ...asker, makeRoom: () => Promise.reject(new Error("no room")) };
      await assert.rejects(store.entries.list(costly, access, full), /no room/);
    });

    test("a list that an index serves has no such limit", async () => {
      const query = parseCollection(top, toJson({ order_by: { field: "n" }, limit: "3" }) as JsonObject, bounds);
      const { json } = await store.entries.list(query, accessOf({ kind: "delivery" }, 10));
      assert.equal(JSON.parse(wholeText(json)).length, 3);
    });

    test("an entry is listed from its date on, before and after the chore that indexes it", async () => {
      const fields = { publishedAt: 50 };
      await store.entries.create("due/a" as Slug, { data: "{}", isMergePatch: false, fields }, context);
      const query = parseCollection("due" as Slug, toJson({ return: "count" }) as JsonObject, bounds);
      const countAt = async (nowSeconds: number) =>
        wholeText((await store.entries.list(query, accessOf({ kind: "delivery" }, nowSeconds))).json);
      await assert.rejects(countAt(49), { code: "entry_not_found" });
      assert.equal(await countAt(50), "1");
      await store.entries.goLive(50);
      assert.equal(await countAt(50), "1");
      await store.entries.goLive(51);
      assert.equal(await countAt(50), "1");
      assert.deepEqual(await store.verify(), []);
    });

    test("a list stops when its client leaves", async () => {
      const left = new AbortController();
      const asked = store.entries.list(costly, accessOf({ kind: "management" }, 10), askerOf(left.signal));
      left.abort();
      await assert.rejects(asked, { code: "busy", message: /client has left/ });
    });
  },
  { scanBudgetMs },
);
