import assert from "node:assert/strict";
import { test } from "node:test";
import { useWorld } from "../../test/harness.ts";
import { type Data, translationCalls, url } from "../../test/translation-calls.ts";
import { openCors } from "../core/http/cors.ts";
import { localeHeaderNames } from "./read-wire.ts";

/** Includes, HTML and batches in a locale. Contract §24, Reads in a locale. */

const world = useWorld({ locales: "en,de,de-AT,fr,es", "locale-fallbacks": "fr>de" });

const { refused, create, translate, read, dataOf } = translationCalls(world);

test("what is included, and HTML of prose, are in the locale; a fallback is included as it falls back", async () => {
  await create("html", { title: "Page", content: "*One*", author: "writer", cover: "none.png" });
  await create("writer", { title: "Writer", content: "**Bio**" });
  await translate("html", "de", { content: "*Eins*", author: "autor" });
  await translate("writer", "de", { content: "**Leben**" });
  await create("autor", { title: "Author", content: "x" });
  await translate("autor", "fr", { title: "Auteur" });
  await translate("autor", "de", { title: "Geheim", visibility: "draft" });
  const included = async (query: Record<string, string>) => {
    const reply = await read({ id: "html", include: "author", render: "html", ...query });
    assert.equal(reply.status, 200, reply.text);
    const { entries } = reply.json.included as unknown as { entries: Record<string, Data> };
    return [(reply.json.data as Data).content, entries];
  };
  const [content, entries] = await included({ locale: "de" });
  assert.match(String(content), /<em>Eins<\/em>/);
  assert.deepEqual(
    [Object.keys(entries as object), (entries as Record<string, Data>).autor?.title],
    [["autor"], "Author"],
  );
  const [, french] = (await included({ locale: "fr" })) as [string, Record<string, Data>];
  assert.equal(french.autor?.title, "Auteur");
  const [, english] = (await included({ locale: "en" })) as [string, Record<string, Data>];
  assert.match(String(english.writer?.content), /<strong>Bio<\/strong>/);
});

test("in a batch a translation is one operation, refused with all, and a repeated key writes once", async () => {
  const operations = [
    { method: "POST", path: "/api/entries", body: { id: "batch", data: { title: "Hello" } } },
    { method: "PATCH", path: url, body: { id: "batch", locale: "de", data: { title: "Hallo" }, name: "stapel" } },
    { method: "PATCH", path: url, body: { id: "batch", locale: "fr", data: { title: "Bonjour" }, name: "stapel" } },
  ];
  const refusedOne = { method: "DELETE", path: url, body: { id: "batch", locale: "es" } };
  await refused("POST", "/api/batch", { operations: [...operations, refusedOne] }, 404, "translation_not_found");
  assert.equal((await read({ id: "batch" })).status, 404);
  const { management, access } = world.token;
  const headers = { "Idempotency-Key": "translations-1" };
  const send = () =>
    world.send("POST", "/api/batch", { headers, body: { token: management, access_token: access, operations } });
  const [first, again] = [await send(), await send()];
  assert.deepEqual([first.status, again.status, again.headers.get("idempotent-replayed")], [200, 200, "true"]);
  assert.equal(again.text, first.text);
  assert.equal((await dataOf({ path: "stapel", locale: "fr" })).title, "Bonjour");
  const events = (await world.app.stores.events.listBefore(undefined, 10)).filter(({ subject }) => subject === "batch");
  assert.deepEqual(
    events.map(({ kind, locale }) => [kind, locale]),
    [
      ["entry.update", "fr"],
      ["entry.update", "de"],
      ["entry.create", undefined],
    ],
  );
});

test("a page of another origin may read what a reply says of its locale", () => {
  const exposed = openCors[openCors.indexOf("Access-Control-Expose-Headers") + 1]?.split(", ");
  // Fetch exposes Content-Language always.
  const wanted = localeHeaderNames.filter((name) => name !== "Content-Language");
  assert.deepEqual(
    wanted.filter((name) => !exposed?.includes(name)),
    [],
  );
});
