import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { authenticate, newPasskey, register } from "../authenticator.ts";
import { startWorld, temporaryFolder, type World } from "../harness.ts";
import { createDatabase, lacksPostgres } from "../postgres.ts";

/**
 * What is done on one node holds at once there, on every other within two seconds: the end of a session, rights, lists for
 * delivery tokens. Contract §2, §4; part three, §19.
 */
const knownWithinMs = 2000;

type Node = Omit<World, "ready">;

describe("two nodes", { skip: lacksPostgres() ?? false }, () => {
  let here: Node;
  let there: Node;
  before(async () => {
    const env = { OCTAVO_POSTGRES_URL: await createDatabase() };
    here = await startWorld({ data: temporaryFolder() }, env);
    there = await startWorld({ data: temporaryFolder() }, env);
  });
  after(() => Promise.all([here.app.close(), there.app.close()]));

  test("what a person may do changes on every node, and ends on every node", async () => {
    const manage = (method: string, path: string, args: object) =>
      here.send(method, path, { body: { token: here.token.management, access_token: here.token.access, ...args } });
    await manage("PUT", "/api/roles", { id: "part", resources: ["entries"], writes: "all" });
    const invited = await manage("POST", "/api/people", { email: "ada@example.org", role: "part" });
    const { id, link } = invited.json.data as { id: string; link: string };
    const code = new URL(link).hash.replace("#code=", "");
    const body = { code, name: "Ada", password: "a quiet harbour at noon" };
    const joined = await there.send("POST", "/admin/session/link", { body });
    assert.equal(joined.status, 200, joined.text);
    const Cookie = joined.headers.get("set-cookie")?.split(";", 1)[0] as string;
    const { csrf_token: csrf } = joined.json.data as { csrf_token: string };
    const headers = { Cookie, "Sec-Fetch-Site": "same-origin", "X-CSRF-Token": csrf };
    let written = 0;
    const write = async ({ send }: Node): Promise<number> =>
      (await send("POST", "/api/entries", { headers, body: { id: `e${++written}`, data: {} } })).status;
    const changes: [what: string, change: () => Promise<{ status: number }>, before: number, after: number][] = [
      [
        "role changed",
        () => manage("PUT", "/api/roles", { id: "part", resources: ["entries"], writes: "none" }),
        200,
        403,
      ],
      ["other role", () => manage("PATCH", "/api/people", { id, role: "editor" }), 403, 200],
      ["disabled", () => manage("PATCH", "/api/people", { id, state: "disabled" }), 200, 401],
    ];
    for (const [what, change, before, after] of changes) {
      assert.deepEqual([await write(here), await write(there)], [before, before], what);
      assert.equal((await change()).status, 200, what);
      const changedMs = performance.now();
      assert.equal(await write(here), after, `${what}: at once on the same node`);
      while ((await write(there)) !== after)
        assert.ok(performance.now() - changedMs < knownWithinMs, `${what}: not yet on the other node`);
    }
  });

  test("a list shows what another node wrote within two seconds, a management list at once", async () => {
    const { management: token, access: access_token } = here.token;
    const write = async (method: string, id: string, data?: object) => {
      const reply = await here.send(method, "/api/entries", { body: { token, access_token, id, data } });
      assert.ok(reply.status < 300, reply.text);
    };
    const list = async ({ send, token }: Node, kind: "delivery" | "management"): Promise<string> => {
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

  test("a passkey's challenge of one node is good on the others, once in all", async () => {
    const code = new URL(here.app.signInLink({ asksOwner: true })).hash.replace("#code=", "");
    const at = (node: Node) => ({ origin: `http://localhost:${new URL(node.app.url).port}`, rpId: "localhost" });
    const optionsAt = async (node: Node, body: object = {}) =>
      (await node.send("POST", "/admin/session/passkey/options", { body })).json.data as {
        challenge: string;
        user: { id: string };
      };
    const form = { code, name: "Olga", email: "olga@example.org" };
    const { challenge, user } = await optionsAt(here, form);
    const passkey = newPasskey("ES256", user.id);
    const body = { ...form, passkey: register(passkey, { challenge, ...at(here) }) };
    assert.equal((await here.send("POST", "/admin/session/link", { body })).status, 200);
    const signInAt = (node: Node, challenge: string) =>
      node.send("POST", "/admin/session/passkey", {
        body: { passkey: authenticate(passkey, { challenge, ...at(node) }) },
      });
    const shared = (await optionsAt(here)).challenge;
    const replies = await Promise.all([here, there, here, there].map((node) => signInAt(node, shared)));
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 401, 401, 401]);
    assert.equal((await signInAt(there, (await optionsAt(here)).challenge)).status, 200);
  });

  // The last one: it disables the token that the others use.
  test("a session is valid on every node, and ends on every node", async () => {
    const body = { token: here.token.management, access_token: here.token.access };
    for (const how of ["signed out", "ended by id", "token disabled"]) {
      const started = await here.send("POST", "/admin/session", { body });
      const {
        id,
        csrf_token: csrf,
        token,
      } = started.json.data as { id: string; csrf_token: string; token: { id: string } };
      const Cookie = started.headers.get("set-cookie")?.split(";", 1)[0] as string;
      const headers = { Cookie, "Sec-Fetch-Site": "same-origin", "X-CSRF-Token": csrf };
      if (how === "signed out") await isSeenOn(there, here, headers);
      const statusOn = async ({ send }: Node) => (await send("GET", "/api/stats", { headers })).status;
      assert.deepEqual([await statusOn(here), await statusOn(there)], [200, 200], how);

      const ended =
        how === "signed out"
          ? await here.send("DELETE", "/admin/session", { headers })
          : how === "ended by id"
            ? await here.send("DELETE", "/api/sessions", { body: { ...body, id } })
            : await here.send("PATCH", "/api/tokens", { body: { ...body, id: token.id, state: "disabled" } });
      const endedMs = performance.now();
      assert.ok(ended.status < 300, ended.text);
      assert.equal(await statusOn(here), 401, `${how}: at once on the same node`);
      while ((await statusOn(there)) !== 401) {
        assert.ok(performance.now() - endedMs < knownWithinMs, `${how}: still valid on the other node`);
      }
    }
  });
});

/** Who has an entry open on one node is told on the other. */
async function isSeenOn(there: Node, here: Node, headers: Record<string, string>): Promise<void> {
  const body = { token: here.token.management, access_token: here.token.access };
  await here.send("POST", "/api/entries", { body: { ...body, id: "open", data: {} } });
  const { headers: set, json } = await there.send("POST", "/admin/session", { body });
  const { id, csrf_token: csrf } = json.data as { id: string; csrf_token: string };
  const Cookie = set.get("set-cookie")?.split(";", 1)[0] as string;
  const own = { Cookie, "Sec-Fetch-Site": "same-origin", "X-CSRF-Token": csrf };
  const peopleOn = async (node: Node, headers: Record<string, string>) =>
    ((await node.send("POST", "/admin/presence", { body: { id: "open" }, headers })).json.data as { people: object[] })
      .people.length;
  assert.deepEqual([await peopleOn(there, own), await peopleOn(here, headers)], [0, 1]);
  await there.send("DELETE", "/api/sessions", { body: { ...body, id } });
}
