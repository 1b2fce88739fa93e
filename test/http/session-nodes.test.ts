import assert from "node:assert/strict";
import { test } from "node:test";
import { startNode, temporaryFolder } from "../harness.ts";
import { createDatabase, lacksPostgres } from "../postgres.ts";

/** Contract §2: a session ended on one node is refused by every other within two seconds. */
const knownWithinMs = 2000;

const folder = temporaryFolder();
type Node = Awaited<ReturnType<typeof startNode>>;

test("a session is valid on every node, and ends on every node", { skip: lacksPostgres() ?? false }, async (t) => {
  const url = await createDatabase();
  const [here, there] = [await startNode(t, `${folder}/here`, url), await startNode(t, `${folder}/there`, url)];
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
    const statusOn = async ({ send }: typeof here) => (await send("GET", "/api/stats", { headers })).status;
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
