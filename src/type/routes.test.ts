import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { costlyTypes } from "../../test/fixtures/costly-types.ts";
import { until, useWorld } from "../../test/harness.ts";

/** Checks of types and lists of references that take longer than a scan may. Contract, part two, §9, §10; decision 65. */

const world = useWorld({ "scan-management-ms": "100" });

const [costly] = costlyTypes as [(typeof costlyTypes)[number]];
const count = 3;
const ids = Array.from({ length: count }, (_, n) => `costly/${n}`);
const tried = { id: "costly", paths: ["costly/*"], schema: costly.schema };

const write = async (method: string, path: string, args: object) => {
  const { management: token, access: access_token } = world.token;
  return world.send(method, path, { body: { token, access_token, ...args } });
};
type Found = { checked: number; failing: number; first: { id: string }[]; has_more?: boolean; last?: string };
const check = async (more: object = {}): Promise<Found> => {
  const reply = await write("POST", "/api/types/check", { ...tried, ...more });
  assert.equal(reply.status, 200, reply.text);
  return reply.json.data as Found;
};

describe("with entries whose check takes long", () => {
  before(async () => {
    for (const id of ids) assert.equal((await write("POST", "/api/entries", { id, data: costly.data })).status, 200);
  });

  test("a check ends when its time is over, says how far it came, and goes on from there", async () => {
    const found: Found[] = [];
    for (let after: string | undefined; found.length < 2 * count; after = found.at(-1)?.last) {
      found.push(await check(after === undefined ? {} : { after }));
      const { has_more, last } = found.at(-1) as Found;
      assert.equal(has_more, last === undefined ? undefined : true);
      if (!last) break;
      assert.ok(ids.includes(last), last);
    }
    assert.ok(found.length > 1, "the first check came to the end");
    assert.equal(found.at(-1)?.last, undefined);
    const sum = (key: "checked" | "failing") => found.reduce((total, each) => total + each[key], 0);
    assert.deepEqual([sum("checked"), sum("failing")], [count, count]);
    assert.deepEqual(
      found.flatMap(({ first }) => first.map(({ id }) => id)),
      ids,
    );
    assert.deepEqual(await check({ after: ids.at(-1) }), { checked: 0, failing: 0, first: [] });
  });

  test("a place that is no id is refused", async () => {
    const reply = await write("POST", "/api/types/check", { ...tried, after: "a//b" });
    assert.deepEqual([reply.status, reply.json.code], [400, "path_invalid"]);
  });

  test("a list of references goes on by its link, also from a page that found none", async () => {
    const link = { properties: { to: { type: "string", format: "entry" } } };
    assert.equal((await write("PUT", "/api/types", { id: "link", paths: ["links/*"], schema: link })).status, 200);
    await write("POST", "/api/entries", { id: "target", data: {} });
    for (const [id, data] of [
      ["links/a", { note: "target" }],
      ["links/b", { note: "target" }],
      ["links/c", { to: "target" }],
    ] as const)
      await write("POST", "/api/entries", { id, data });
    const rows: { id: string }[] = [];
    let url: string | undefined = "/api/entries/references?id=target";
    while (url !== undefined) {
      const reply = await world.send("GET", url, { headers: { Authorization: `Bearer ${world.token.management}` } });
      assert.equal(reply.status, 200, reply.text);
      rows.push(...(reply.json.data as { id: string }[]));
      url = /<([^>]+)>; rel="next"/.exec(reply.headers.get("link") ?? "")?.[1];
    }
    assert.deepEqual(
      rows.map(({ id }) => id),
      ["links/c"],
    );
  });
});

test("no text of an entry whose type cannot tell its prose is answered as it is", async () => {
  const marking = costlyTypes.find(({ name }) => name === "many patterns of many names");
  assert.ok(marking);
  const type = { id: "marking", paths: ["marking/*"], mode: "off", schema: marking.schema };
  assert.equal((await write("PUT", "/api/types", type)).status, 200);
  const data = { ...marking.data, unsafe: "<img src=x onerror=alert(1)>", content: "*c*", list: ["<b>"] };
  assert.equal((await write("POST", "/api/entries", { id: "marking/a", data })).status, 200);
  const query = { id: "marking/a", render: "html" };
  const reply = await world.send("GET", "/api/entries", {
    query,
    headers: { Authorization: `Bearer ${world.token.delivery}` },
  });
  const found = reply.json.data as typeof data;
  assert.deepEqual(
    [found.unsafe, found.content, found.list],
    ["<pre>\n&lt;img src=x onerror=alert(1)&gt;</pre>", "<p><em>c</em></p>\n", ["<pre>\n&lt;b&gt;</pre>"]],
  );
});

test("a check whose client has left ends, and its token has its turn again", async () => {
  for (let round = 0; round < 4; round++) {
    const left = new AbortController();
    const { management: token, access: access_token } = world.token;
    const sent = fetch(`${world.app.url}/api/types/check`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ ...tried, token, access_token }),
      signal: left.signal,
    });
    left.abort();
    await assert.rejects(sent);
  }
  await until(async () => (await write("POST", "/api/types/check", tried)).status === 200, "never its turn");
});
