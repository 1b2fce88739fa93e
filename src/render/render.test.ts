// Slow: a service for each case.
import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import { startWorld, temporaryFolder, until } from "../../test/harness.ts";
import { createDatabase, lacksPostgres } from "../../test/postgres.ts";

/** HTML of entries, by setting, by token, on several nodes. Contract, part two, §10; decision 57. */

type Node = Awaited<ReturnType<typeof startWorld>>;
type Query = Record<string, string>;

const folder = temporaryFolder();
let folders = 0;

async function startNode(t: TestContext, env: Query, flags: Query = {}): Promise<Node> {
  const node = await startWorld({ data: `${folder}/${folders++}`, ...flags }, env);
  t.after(() => node.app.close());
  return node;
}

const write = async (node: Node, method: string, path: string, args: object) => {
  const { management: token, access: access_token } = node.token;
  const reply = await node.send(method, path, { body: { token, access_token, ...args } });
  assert.ok(reply.status < 300, reply.text);
};

/** The contents of one entry or of a list, or the code of the refusal. */
async function contentsOf(
  node: Node,
  query: Query,
  token = node.token.delivery,
  path = "/api/entries",
): Promise<unknown> {
  const { json } = await node.send("GET", path, { query, headers: { Authorization: `Bearer ${token}` } });
  const data = json.data as { content: string } | { content: string }[] | undefined;
  if (data === undefined) return json.code;
  return Array.isArray(data) ? data.map(({ content }) => content) : data.content;
}

const a = "<p><em>a</em></p>\n";
const type = { id: "post", paths: ["blog/*"], schema: { properties: { content: { type: "string" } } } };

const engines: Record<string, () => Promise<Query>> = {
  SQLite: async () => ({}),
  PostgreSQL: async () => ({ OCTAVO_POSTGRES_URL: await createDatabase() }),
};

for (const [engine, envOf] of Object.entries(engines)) {
  describe(engine, { skip: engine === "PostgreSQL" ? lacksPostgres() : undefined }, () => {
    test("content_render=markdown answers HTML to delivery tokens, and the source to those who edit", async (t) => {
      const node = await startNode(t, await envOf(), { content_render: "markdown" });
      const { delivery, management } = node.token;
      const preview = (await node.issue("preview", ["entries"], { expiresAt: Math.floor(Date.now() / 1000) + 86_400 }))
        .secret;
      await write(node, "POST", "/api/entries", { id: "blog", data: { content: "*a*" } });
      await write(node, "POST", "/api/entries", { id: "blog/a", data: { content: "*a*" } });
      for (const [query, html] of [
        [{ id: "blog" }, a],
        [{ id: "blog", filter: "" }, [a]],
      ] as [Query, unknown][]) {
        const raw = Array.isArray(html) ? ["*a*"] : "*a*";
        // Twice, since lists are kept from the second read on, and the address is the same for every token.
        for (let round = 0; round < 3; round++) {
          for (const path of ["/api/entries", "/api/delivery/entries"]) {
            assert.deepEqual(await contentsOf(node, query, delivery, path), html);
            assert.deepEqual(await contentsOf(node, query, management, path), raw);
            assert.deepEqual(await contentsOf(node, query, preview, path), raw);
            assert.deepEqual(await contentsOf(node, { ...query, render: "raw" }, delivery, path), raw);
          }
          assert.deepEqual(await contentsOf(node, query, management, "/api/management/entries"), raw);
          assert.deepEqual(await contentsOf(node, { ...query, render: "html" }, management), "argument_invalid");
        }
      }
    });

    test("a type that another node changes is in force within seconds", async (t) => {
      const env = await envOf();
      const data = `${folder}/${folders++}`;
      const [one, other] = [await startNode(t, env, { data }), await startNode(t, env, { data })];
      await write(one, "POST", "/api/entries", { id: "blog/a", data: { content: "*a*" } });
      const read = async () =>
        JSON.stringify([
          await contentsOf(other, { id: "blog/a", render: "html" }),
          await contentsOf(other, { id: "blog", filter: "", render: "html" }),
        ]);
      await until(async () => (await read()) === JSON.stringify([a, [a]]), "never HTML");
      await write(one, "PUT", "/api/types", type);
      await until(async () => (await read()) === JSON.stringify(["*a*", ["*a*"]]), "never the source");
      await write(one, "DELETE", "/api/types", { id: "post" });
      await until(async () => (await read()) === JSON.stringify([a, [a]]), "never HTML again");
    });
  });
}

test("many reads of one text while it is rendered get it, and the service answers meanwhile", async (t) => {
  const node = await startNode(t, {});
  await write(node, "POST", "/api/entries", { id: "long", data: { content: "[".repeat(100_000) } });
  const reads = Array.from({ length: 150 }, () => contentsOf(node, { id: "long", render: "html" }));
  const plain = await contentsOf(node, { id: "long", "options[filter][only]": "slug" });
  assert.equal(plain, undefined);
  const [first, ...others] = await Promise.all(reads);
  assert.match(first as string, /^<p>/);
  for (const other of others) assert.equal(other, first);
});

test("long texts of one writer hold up no other read: short ones pass, long ones have their turn or are refused soon", async (t) => {
  const node = await startNode(t, {});
  const text = (name: string) => `*${name}* ${"*a* b [c](d) ".repeat(8000)}`;
  for (let n = 0; n < 12; n++)
    await write(node, "POST", "/api/entries", { id: `many/${n}`, data: { content: text(`${n}`) } });
  await write(node, "POST", "/api/entries", { id: "short", data: { content: "*a*" } });
  await write(node, "POST", "/api/entries", { id: "long", data: { content: text("x") } });
  const other = (await node.issue("delivery", ["entries"])).secret;
  const order: string[] = [];
  const note = async (name: string, read: Promise<unknown>) => {
    const found = await read;
    order.push(name);
    return found;
  };
  const one = (id: string, token?: string) => contentsOf(node, { id, render: "html" }, token);
  const many = Array.from({ length: 12 }, (_, n) => note("many", one(`many/${n}`)));
  const [short, same, long, ...first] = await Promise.all([
    note("short", one("short", other)),
    note("short", contentsOf(node, { id: "short", "options[filter][only]": "content", render: "html" })),
    note("long", one("long", other)),
    ...many,
  ]);
  assert.deepEqual([short, same], [a, a]);
  assert.ok(order.lastIndexOf("short") < 3, order.join());
  // On a slow machine a text may take longer than another read waits.
  for (const html of [long, ...first])
    assert.ok(html === "busy" || /^<p><em>\w+<\/em>/.test(String(html)), String(html));
  // What was rendered is kept, so each attempt gets further.
  const list = (token?: string) => contentsOf(node, { id: "many", filter: "", render: "html" }, token);
  await until(async () => Array.isArray(await list()), "never rendered");
  assert.deepEqual(await list(other), await list());
});
