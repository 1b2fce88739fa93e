import assert from "node:assert/strict";
import { before, test } from "node:test";
import { OctavoProblem } from "../../client/src/client.ts";
import { refusal, useClients } from "./service.ts";

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
