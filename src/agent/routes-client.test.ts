import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { type Reply, startNode, temporaryFolder, useWorld, type World } from "../../test/harness.ts";
import { type Called, toolsOf } from "../../test/mcp.ts";
import { createDatabase, lacksPostgres } from "../../test/postgres.ts";
import { Seal } from "../people/seal.ts";

/** Agents with the official client; the upload that an agent hands on. Contract, part three, §18. */

const world = useWorld();
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

function form(name: string, fields: Record<string, string> = {}, bytes: Uint8Array<ArrayBuffer> = new Uint8Array(png)) {
  const sent = new FormData();
  for (const [key, value] of Object.entries(fields)) sent.set(key, value);
  sent.set("file", new Blob([bytes]), name);
  return sent;
}

/** Posts a form to an address that was made for it, as anybody who has the address. */
async function upload(url: string, body: FormData): Promise<Pick<Reply, "status" | "json">> {
  const reply = await fetch(url, { method: "POST", body });
  return { status: reply.status, json: (await reply.json()) as Record<string, unknown> };
}

type Link = { url: string; field: string; path: string; expires_at: number; example: string };
const linkOf = (result: Called): Link => {
  assert.equal(result.isError, false, JSON.stringify(result.structuredContent));
  return result.structuredContent.data as Link;
};

async function connect(mode: "legacy" | "auto" | { pin: string }, bearer: string): Promise<Client> {
  const client = new Client({ name: "octavo-test", version: "1" }, { versionNegotiation: { mode } });
  const headers = { Authorization: `Bearer ${bearer}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${world.app.url}/mcp`), { requestInit: { headers } }),
  );
  return client;
}

describe("the official client", () => {
  const pair = () => `${world.token.management}.${world.token.access}`;

  for (const [mode, version] of [
    ["legacy", "2025-11-25"],
    ["auto", "2026-07-28"],
    [{ pin: "2026-07-28" }, "2026-07-28"],
  ] as const) {
    test(`speaks ${version} (${JSON.stringify(mode)}): lists tools, calls one, gets a refusal`, async () => {
      const client = await connect(mode, pair());
      assert.equal(client.getNegotiatedProtocolVersion(), version);
      assert.match(client.getInstructions() ?? "", /not instructions/);
      assert.equal(client.getServerVersion()?.name, "octavo");
      assert.equal((await client.listTools()).tools.length, 9);
      const id = `client-${typeof mode === "string" ? mode : "pin"}`;
      const made = await client.callTool({ name: "create_draft", arguments: { id, data: { n: 1 } } });
      assert.equal((made.structuredContent as { data: { n: number } }).data.n, 1);
      const again = await client.callTool({ name: "create_draft", arguments: { id, data: { n: 1 } } });
      assert.equal(again.isError, true);
      assert.equal((again.structuredContent as { code: string }).code, "entry_exists");
      await assert.rejects(client.callTool({ name: "drop", arguments: {} }));
      await client.close();
    });
  }

  test("is refused without a token that is good", async () => {
    await assert.rejects(connect("auto", "nonsense"));
  });
});

test("an agent that knows nothing but tools/list finds, reads, proposes, mends, illustrates and collects", async () => {
  const admin = { Authorization: `Bearer ${world.token.management}`, "X-Access-Token": world.token.access };
  const properties = { title: { type: "string" }, year: { type: "integer" }, image: { type: "string" } };
  const schema = { type: "object", properties, required: ["title", "year"] };
  const type = { id: "film", paths: ["films/*"], schema };
  assert.equal((await world.send("PUT", "/api/types", { headers: admin, body: type })).status, 200);
  for (const [id, data] of [
    ["films", { title: "Films" }],
    ["films/alien", { title: "Alien", year: 1979 }],
  ])
    assert.equal((await world.send("POST", "/api/entries", { headers: admin, body: { id, data } })).status, 200);
  const scope = { paths: ["films"], writes: "staged" } as const;
  const { secret } = await world.issue("management", ["entries", "files"], scope);
  const client = await connect("auto", `${secret}.${world.token.access}`);

  const { tools } = await client.listTools();
  /** Calls the tool whose description speaks of this, with arguments that its schema has. */
  const use = async (what: RegExp, args: Record<string, unknown>): Promise<Called> => {
    const [tool, ...others] = tools.filter(({ title, description }) => what.test(`${title}: ${description}`));
    assert.ok(tool && others.length === 0, `${what}: ${tools.map(({ name }) => name)}`);
    const known = tool.inputSchema.properties ?? {};
    for (const name of Object.keys(args)) assert.ok(name in known, `${tool.name} has no ${name}`);
    for (const name of (tool.inputSchema.required ?? []) as string[]) assert.ok(name in args, `${tool.name}: ${name}`);
    return (await client.callTool({ name: tool.name, arguments: args })) as unknown as Called;
  };
  const found = await use(/Finds entries/, { q: "alien" });
  const [{ slug: id }] = found.structuredContent.data as [{ slug: string }];
  assert.equal(id, "films/alien");
  const { etag } = (await use(/Reads one entry/, { id })).structuredContent;
  const types = (await use(/Lists the content types/, {})).structuredContent.data as { schema: typeof schema }[];
  assert.deepEqual(types[0]?.schema.required, ["title", "year"]);
  const refused = await use(/working copy: what the public sees stays/, { id, data: { year: "1979" }, if_match: etag });
  assert.equal(refused.isError, true);
  const [fault] = refused.structuredContent.errors as { pointer: string; accepted: string }[];
  assert.equal(fault?.pointer, "/year");
  assert.match(fault?.accepted ?? "", /integer/);
  const release = (
    (await world.send("POST", "/api/releases", { headers: admin, body: { title: "Films" } })).json.data as {
      id: string;
    }
  ).id;
  const link = linkOf(await use(/takes one file, once/, { folder: "films" }));
  assert.match(link.example, new RegExp(`-F ${link.field}=@`));
  const file = (await upload(link.url, form("alien.png", { title: "Alien" }))).json.data as { filename: string };
  const image = link.path.replace("{filename}", file.filename);
  assert.equal(image, "films/alien.png");
  const mended = { id, data: { year: 1980, image }, if_match: etag, release };
  assert.equal((await use(/working copy: what the public sees stays/, mended)).isError, false);
  const draft = { id: "films/aliens", data: { title: "Aliens", year: 1986 }, release };
  assert.equal((await use(/is not public: `visibility`/, draft)).isError, false);
  const collected = await world.send("GET", `/api/releases/entries?id=${release}`, { headers: admin });
  assert.deepEqual(
    (collected.json.data as { id: string }[]).map((row) => row.id),
    [id, draft.id],
  );
  const shown = (await use(/Reads one entry/, { id, include: "image" })).structuredContent;
  assert.equal((shown.data as { year: number }).year, 1980);
  assert.ok(JSON.stringify(shown.included).includes("films/alien.png"));
  const live = await world.send("GET", "/api/delivery/entries?id=films/alien", { headers: admin });
  assert.equal((live.json.data as { year: number }).year, 1979, "nothing is public");
  await client.close();
});

describe("an upload link", () => {
  const use = (token: string, access = world.token.access) => toolsOf(world, `${token}.${access}`);
  let count = 0;
  const made = async (args: object = { folder: "up" }) =>
    linkOf(await use(world.token.management).call("upload_link", args)).url;
  const named = () => `${++count}.png`;
  const refused = (reply: Pick<Reply, "status" | "json">, status = 410, code = "upload_link_invalid") =>
    assert.deepEqual([reply.status, reply.json.code], [status, code], JSON.stringify(reply.json));

  before(() => world.ready);

  test("takes one file, once, and has no token in it", async () => {
    const url = await made();
    for (const secret of [world.token.management, world.token.access]) assert.equal(url.includes(secret), false);
    const first = await upload(url, form("once.png"));
    assert.equal(first.status, 200, JSON.stringify(first.json));
    refused(await upload(url, form("once.png")));
    refused(await upload(url, form("twice.png")));
  });

  test("of many uploads at once one is taken", async () => {
    const url = await made();
    const replies = await Promise.all(Array.from({ length: 8 }, (_, i) => upload(url, form(`race-${i}.png`))));
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, ...Array(7).fill(410)]);
  });

  test("is not used up by a form that was refused", async () => {
    const url = await made();
    assert.equal((await upload(url, form("x.exe", {}, new Uint8Array([1, 2, 3])))).status, 415);
    assert.equal((await fetch(url, { method: "POST" })).status, 400);
    refused(await upload(url, form(named(), { folder: "elsewhere" })), 400, "argument_unknown");
    refused(await upload(url, form(named(), { on_conflict: "replace" })), 400, "argument_unknown");
    for (const name of ["token", "access_token"])
      refused(await upload(url, form(named(), { [name]: world.token.management })), 400, "argument_unknown");
    assert.equal((await upload(url, form(named()))).status, 200);
  });

  test("names the file as it was asked to, or as the form does", async () => {
    const titleOf = async (args: object, fields?: Record<string, string>) => {
      const reply = await upload(await made({ folder: "up", ...args }), form(named(), fields));
      const { title, description } = reply.json.data as { title: string; description: string };
      return [title, description];
    };
    assert.deepEqual(await titleOf({ title: "Ü".repeat(500) }, { description: "D" }), ["Ü".repeat(500), "D"]);
    assert.deepEqual(await titleOf({ title: "Asked" }, { title: "Sent" }), ["Asked", ""]);
    const long = await use(world.token.management).call("upload_link", { folder: "up", title: "x".repeat(501) });
    assert.equal(long.structuredContent.code, "argument_invalid");
  });

  test("is what was made, unchanged, and for ten minutes", async () => {
    const url = new URL(await made());
    const code = url.searchParams.get("code") as string;
    for (const other of ["", "x", code.slice(0, -2), `${code.slice(0, 20)}AAAA${code.slice(24)}`]) {
      url.searchParams.set("code", other);
      refused(await upload(url.href, form(named())));
    }
    refused(await upload(`${world.app.url}/mcp/upload`, form(named())));
    const seal = new Seal(world.app.stores.signingKey, "octavo upload link");
    const link = JSON.parse(seal.open(code) as string) as { expiresAt: number };
    assert.ok(Math.abs(link.expiresAt - Date.now() / 1000 - 600) < 60);
    url.searchParams.set("code", seal.seal(JSON.stringify({ ...link, expiresAt: Math.floor(Date.now() / 1000) })));
    refused(await upload(url.href, form(named())));
    url.searchParams.set("code", code);
    assert.equal((await upload(url.href, form(named()))).status, 200);
  });

  test("holds what its tokens hold, and ends with either", async () => {
    for (const end of ["token", "access", "rotated", "paths"]) {
      const token = await world.issue("management", ["files"], { paths: ["up"], writes: "staged" });
      const access = await world.issue("access");
      const url = linkOf(await use(token.secret, access.secret).call("upload_link", { folder: "up/bound" })).url;
      const spare = linkOf(await use(token.secret, access.secret).call("upload_link", { folder: "up/bound" })).url;
      assert.equal((await upload(spare, form(named()))).status, 200);
      const context = { actor: "test", nowSeconds: Math.floor(Date.now() / 1000) } as never;
      const { tokens } = world.app.stores;
      if (end === "token") await tokens.revoke(token.id, context);
      if (end === "access") await tokens.update(access.id, { state: "disabled" }, context);
      if (end === "rotated") await tokens.rotate(token.id, { hash: "0".repeat(64) }, context);
      if (end === "paths") await tokens.update(token.id, { paths: ["other" as never] }, context);
      if (end === "paths") refused(await upload(url, form(named())), 404, "folder_not_found");
      else refused(await upload(url, form(named())));
    }
  });

  test("replaces nothing for writes that are staged", async () => {
    assert.equal((await upload(await made(), form("taken.png"))).status, 200);
    const staged = await world.issue("management", ["files"], { writes: "staged" });
    const args = { folder: "up", on_conflict: "replace" };
    const url = linkOf(await use(staged.secret).call("upload_link", args)).url;
    refused(await upload(url, form("taken.png")), 403, "scope_missing");
  });

  test("counts a call, and its arguments are checked when it is made", async () => {
    const token = await world.issue("management", ["files"], { limitCalls: 2 });
    const url = linkOf(await use(token.secret).call("upload_link", { folder: "up" })).url;
    assert.equal((await upload(url, form(named()))).status, 200);
    const spent = await use(token.secret).call("upload_link", { folder: "up" });
    assert.equal(spent.structuredContent.code, "call_limit_reached");
    for (const args of [{ folder: "../x" }, {}, { folder: "up", on_conflict: "erase" }])
      assert.equal((await use(world.token.management).call("upload_link", args)).isError, true);
  });

  test("is taken once by two nodes, whichever made it, and stays used", { skip: lacksPostgres() }, async (t) => {
    const url = await createDatabase();
    const bucket = temporaryFolder();
    const [a, b] = [await startNode(t, bucket, url), await startNode(t, bucket, url)] as [World, World];
    const link = linkOf(
      await toolsOf(a, `${a.token.management}.${a.token.access}`).call("upload_link", { folder: "" }),
    );
    const at = (node: Pick<World, "app">) => link.url.replace(a.app.url, node.app.url);
    const replies = await Promise.all([a, b, a, b].map((node, i) => upload(at(node), form(`node-${i}.png`))));
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 410, 410, 410]);
    const after = await startNode(t, bucket, url);
    refused(await upload(at(after), form("later.png")));
  });
});
