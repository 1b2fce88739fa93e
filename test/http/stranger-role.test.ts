import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { type Reply, useWorld } from "../harness.ts";
import { isLong } from "../long.ts";
import { peopleOf, type SignedIn } from "../people.ts";

/**
 * Every route of the API answers a person with a role as a token with the same rights: nothing downstream knows people.
 * test/acceptance/person.test.ts has the routes whose replies matter, by more places. Contract, part two, §11; part three, §19.
 */

const world = useWorld({ "auth-failures-per-minute": "0" });
before(() => world.ready);
const { manage, personOf, send } = peopleOf(world);

const resources = ["entries", "files", "folders"];
const places = ["up/in", "up/out", ...(isLong ? ["up", "up/nothing"] : [])];

const dot = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

before(async () => {
  await world.ready;
  for (const id of ["up", "up/in", "up/in/a", "up/out", "up/out/b"]) {
    await manage("POST", "/api/entries", { id, data: { n: 1 } });
    await manage("PATCH", "/api/entries/staged", { id, data: { n: 2 } });
    await manage("POST", "/api/folders", { path: id });
  }
  for (const folder of ["up/in", "up/out"]) {
    const form = new FormData();
    const { management: token, access: access_token } = world.token;
    for (const [name, value] of Object.entries({ token, access_token, folder })) form.set(name, value);
    form.set("file", new File([dot], "dot.png"));
    const sent = await fetch(`${world.app.url}/api/files`, { method: "POST", body: form });
    assert.equal(sent.status, 200, await sent.text());
  }
});

/** What a reply says, without what differs between two callers. */
const told = ({ status, text }: Reply, who: string): string =>
  `${status} ${text}`
    .replaceAll(who, "<who>")
    .replace(/"(request_id|uuid|revision|id|token|maker|actor|cursor|\w+_at|\w+_by|\w+_name)":("[^"]*"|\d+|null)/g, "")
    .replace(/"(revision|sequence)": *\d+/g, "");

/** Arguments for whatever the route has: a place that is there to read, one of the caller's own to write. */
const argumentsFor = (
  names: readonly string[],
  place: string,
  who: string,
  isRead: boolean,
): Record<string, unknown> => {
  const own = isRead ? place : `${place}/${who}`;
  const values: Record<string, unknown> = {
    ...{ id: own, path: own, new_id: `${own}-moved`, new_path: `${own}-moved`, paths: [place], data: {} },
    ...{
      field: "alt",
      value: "x",
      revision: 1,
      sequence: 1,
      kind: "images",
      type: "x",
      role: "viewer",
      state: "active",
    },
    ...{ email: `${who}@example.org`, schema: {}, resources: ["entries"], writes: "all", search: "up" },
    operations: [{ method: "DELETE", path: "/api/entries", body: { id: own } }],
  };
  return Object.fromEntries(names.flatMap((name) => (name in values ? [[name, values[name]]] : [])));
};

for (const writes of ["none", "staged", "all"] as const) {
  describe(`a role of writes ${writes}, below a path`, () => {
    let session: SignedIn;
    let token: string;
    before(async () => {
      await world.ready;
      const put = await manage("PUT", "/api/roles", { id: writes, resources, paths: ["up/in"], writes });
      assert.equal(put.status, 200, put.text);
      ({ session } = await personOf(writes));
      const limits = { paths: ["up/in"], ...(writes === "staged" && { writes }) };
      token = (await world.issue("management", ["entries", "files", "folders"], limits)).secret;
    });

    test("is answered as a token, on every route", async () => {
      // Images are for sessions, too, which tokens need a kind of their own for.
      const routes = world.app.api.filter(({ need, sessionNeed }) => need && !need.isOwn && !sessionNeed);
      assert.ok(routes.length > 80);
      const refusedForNone: string[] = [];
      for (const { method, url, arguments: declared, need } of routes) {
        for (const place of places) {
          const isRead = method === "GET";
          const args = (who: string) => argumentsFor(Object.keys(declared), place, `${writes}-${who}`, isRead);
          const path = url.replace("*", "x.png");
          if (isRead) {
            const query = Object.fromEntries(Object.entries(args("x")).map(([name, value]) => [name, String(value)]));
            const [mine, other] = await Promise.all([
              send(session, method, path, { query }),
              world.send(method, path, { query, headers: { Authorization: `Bearer ${token}` } }),
            ]);
            assert.equal(told(mine, "person"), told(other, "person"), `${method} ${url} ${place}`);
            continue;
          }
          const mine = await send(session, method, path, { body: args("person") });
          if (writes === "none" && need?.writes !== "none") {
            refusedForNone.push(`${mine.status} ${mine.json.code}`);
            continue;
          }
          const body = { token, access_token: world.token.access, ...args("token") };
          const other = await world.send(method, path, { body });
          const what = `${method} ${url} ${place}`;
          assert.equal(told(mine, `${writes}-person`), told(other, `${writes}-token`), what);
        }
      }
      // No token writes nothing at all.
      if (writes === "none") assert.deepEqual([...new Set(refusedForNone)], ["403 scope_missing"]);
    });

    test("sees images below it alone", async () => {
      const answers = await Promise.all(
        ["up/in/dot.png", "up/out/dot.png", "up/out/none.png"].map((path) =>
          send(session, "GET", `/api/images/${path}`),
        ),
      );
      const [inside, outside, nothing] = answers as [Reply, Reply, Reply];
      assert.deepEqual([inside.status, outside.status], [200, 404]);
      assert.equal(told(outside, "dot"), told(nothing, "none"));
    });
  });
}
