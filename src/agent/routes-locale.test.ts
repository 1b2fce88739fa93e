import assert from "node:assert/strict";
import { test } from "node:test";
import { useWorld } from "../../test/harness.ts";
import { bounded, type Called, toolsOf } from "../../test/mcp.ts";

/** What agents do with translations: they read them, and propose them as working copies. Contract §24; part three, §18. */

const world = useWorld({ locales: "en,de" });
const codeOf = ({ isError, structuredContent }: Called) => (isError ? structuredContent.code : undefined);

test("an agent compares, proposes a translation that nobody sees, and reads it; the source stays as it is", async () => {
  const { management, access } = world.token;
  const tools = toolsOf(world, `${management}.${access}`);
  const body = { token: management, access_token: access, id: "a", data: { title: "Hello", text: "One" } };
  await world.send("POST", "/api/entries", { body });
  const listed = (await tools.list()).find(({ name }) => name === "translate");
  assert.deepEqual(listed?.inputSchema.required.toSorted(), ["data", "id", "locale"]);
  const data = { title: "Hallo" };
  assert.equal(codeOf(await tools.call("translate", { id: "a", data })), "argument_missing");
  assert.equal(codeOf(await tools.call("translate", { id: "a", data, locale: "fr" })), "locale_unknown");
  const staged = bounded(await tools.call("translate", { id: "a", locale: "de", data }));
  assert.equal((staged.data as { title: string }).title, "Hallo");
  const rows = bounded(await tools.call("compare_translations", { id: "a" })).data as { staged: string[] }[];
  assert.deepEqual(
    rows.map((row) => row.staged),
    [["title"]],
  );
  const titleOf = async (args: object) =>
    (bounded(await tools.call("read", { id: "a", ...args })).data as { title: string }).title;
  assert.deepEqual([await titleOf({ locale: "de" }), await titleOf({})], ["Hallo", "Hello"]);
  const found = await tools.call("search", { q: "hallo", locale: "de" });
  assert.equal((bounded(found).data as object[]).length, 1);
  const delivered = await world.send("GET", "/api/entries", {
    query: { token: world.token.delivery, id: "a", locale: "de" },
  });
  assert.equal((delivered.json.data as { title: string }).title, "Hello");
  for (const title of ["Hallo", "Hallo!"]) {
    bounded(await tools.call("translate", { id: "a", locale: "de", data: { title } }));
    bounded(await tools.call("publish", { id: "a", locale: "de" }));
  }
  const history = bounded(await tools.call("history", { id: "a", locale: "de" })).data as object[];
  assert.ok(history.length > 0);
});
