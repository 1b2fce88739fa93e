import assert from "node:assert/strict";
import { before, test } from "node:test";
import { OctavoProblem } from "../../client/src/client.ts";
import { refusal, textFile, useClients } from "./service.ts";

/** Content types: what the client's methods answer and throw. */

const clients = useClients();

before(() => clients.world.ready);

test("a type is put, fetched, listed, checked and deleted", async () => {
  const { types, entries } = clients.manager;
  const note = { id: "note", title: "Note", paths: ["notes/*"], schema: { required: ["text"] } };
  const made = await types.put(note);
  assert.deepEqual({ ...made }, { ...note, description: "", mode: "enforce" });
  assert.deepEqual({ ...(await types.fetch("note")) }, { ...made });
  await types.put({ id: "other", schema: true, mode: "off" });
  const page = await types.list({ limit: 1 });
  assert.deepEqual(
    [page.items.map(({ id }) => id), (await types.list({ cursor: page.cursor })).items[0]?.id],
    [["note"], "other"],
  );
  const refused = await entries.create("notes/a", { n: 1 }).catch((error: unknown) => error);
  assert.ok(refused instanceof OctavoProblem);
  assert.deepEqual(
    [refused.code, refused.errors.length, refused.dataFaults],
    [
      "data_invalid",
      0,
      [{ pointer: "/text", rule: "required", message: '"/text" is missing; expected a value', accepted: "a value" }],
    ],
  );
  await entries.create("notes/a", { text: 5 });
  const checked = await types.check({ ...note, schema: { properties: { text: { type: "string" } } } });
  assert.deepEqual([checked.checked, checked.failing, checked.first[0]?.id], [1, 1, "notes/a"]);
  await types.put(note, { ifMatch: made });
  await refusal(types.put(note, { ifMatch: made }), "revision_mismatch");
  await refusal(types.put({ id: "bad", schema: { type: "x" } }), "schema_invalid");
  await refusal(clients.visitor.types.list(), "scope_missing");
  await types.delete("note");
  await refusal(types.fetch("note"), "type_not_found");
});

test("the entries that refer to an entry, a file and what is in a folder are listed in pages", async () => {
  const { types, entries, files } = clients.manager;
  const properties = { author: { format: "entry" }, cover: { format: "file" } };
  await types.put({ id: "article", paths: ["articles/*"], schema: { properties } });
  await files.upload("covers", textFile("one.txt"));
  await entries.create("people/ada", { name: "Ada" });
  for (const id of ["articles/a", "articles/b"]) {
    await entries.create(id, { author: "people/ada", cover: "covers/one.txt" });
  }
  const page = await entries.references("people/ada", { limit: 1 });
  const rest = await entries.references("people/ada", { cursor: page.cursor });
  assert.deepEqual(
    [...page.items, ...rest.items].map((row) => ({ ...row })),
    ["articles/a", "articles/b"].map((id) => ({ id, pointers: ["/author"] })),
  );
  assert.equal(rest.cursor, undefined);
  const [row] = (await files.references("covers/one.txt")).items;
  assert.deepEqual({ ...row }, { id: "articles/a", pointers: ["/cover"] });
  assert.equal((await files.references("covers", { descendants: true })).items.length, 2);
  await refusal(entries.references("people/nobody"), "entry_not_found");
  await refusal(files.references("covers/two.txt"), "file_not_found");
  await refusal(clients.visitor.entries.references("people/ada"), "scope_missing");
});
