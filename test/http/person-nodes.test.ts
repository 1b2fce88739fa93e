import assert from "node:assert/strict";
import { test } from "node:test";
import { startNode, temporaryFolder } from "../harness.ts";
import { createDatabase, lacksPostgres } from "../postgres.ts";

/** Contract, part three, §19: a change of a person or a role holds at once on its node, on every other within two seconds. */
const knownWithinMs = 2000;

const folder = temporaryFolder();

test("what a person may do changes on every node, and ends on every node", {
  skip: lacksPostgres() ?? false,
}, async (t) => {
  const url = await createDatabase();
  const [here, there] = [await startNode(t, `${folder}/here`, url), await startNode(t, `${folder}/there`, url)];
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
  const write = async ({ send }: typeof here): Promise<number> =>
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
