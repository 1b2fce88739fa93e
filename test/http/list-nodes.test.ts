import assert from "node:assert/strict";
import { test } from "node:test";
import { startNode, temporaryFolder } from "../harness.ts";
import { createDatabase, lacksPostgres } from "../postgres.ts";

/** Contract §4: a list for a delivery token shows what another node wrote within two seconds, any other at once. */
const knownWithinMs = 2000;

const folder = temporaryFolder();

test("a list shows what another node wrote within two seconds, a management list at once", {
  skip: lacksPostgres() ?? false,
}, async (t) => {
  const url = await createDatabase();
  const [here, there] = [await startNode(t, `${folder}/here`, url), await startNode(t, `${folder}/there`, url)];
  const { management: token, access: access_token } = here.token;
  const write = async (method: string, id: string, data?: object) => {
    const reply = await here.send(method, "/api/entries", { body: { token, access_token, id, data } });
    assert.ok(reply.status < 300, reply.text);
  };
  const list = async ({ send, token }: typeof here, kind: "delivery" | "management"): Promise<string> => {
    const reply = await send("GET", "/api/entries", { query: { id: "shop", filter: "", token: token[kind] } });
    assert.equal(reply.status, 200, reply.text);
    return JSON.stringify((reply.json.data as { title: string }[]).map(({ title }) => title).sort());
  };
  await write("POST", "shop", {});
  const steps: [method: string, id: string, title: string | undefined, titles: string[]][] = [
    ["POST", "shop/a", "one", ["one"]],
    ["POST", "shop/b", "two", ["one", "two"]],
    ["PATCH", "shop/a", "three", ["three", "two"]],
    ["DELETE", "shop/b", undefined, ["three"]],
  ];
  for (const [method, id, title, titles] of steps) {
    const expected = JSON.stringify(titles);
    // Read before the write, so that both nodes know these entries.
    for (const node of [here, there]) await list(node, "delivery");
    await write(method, id, title === undefined ? undefined : { title });
    const wroteMs = performance.now();
    assert.equal(await list(there, "management"), expected, `${method} ${id}`);
    assert.equal(await list(here, "delivery"), expected, `${method} ${id} on its own node`);
    while ((await list(there, "delivery")) !== expected) {
      assert.ok(performance.now() - wroteMs < knownWithinMs, `${method} ${id}: still the list of before`);
    }
  }
});
