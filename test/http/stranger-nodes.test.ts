import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Reply, startWorld, temporaryFolder, until, type World } from "../harness.ts";
import { startIssuer } from "../issuer.ts";
import { codeOf, good, newEmail, peopleOf, refused, type Shown, type SignedIn, signedIn } from "../people.ts";
import { createDatabase, lacksPostgres } from "../postgres.ts";

/** Races on two nodes of a store, or two processes of one. Contract, part three, §19; docs/people.md, What was attacked. */

const base = "http://octavo.example.org";
const issuer = startIssuer(() => [`${base}/admin/session/oidc/back`]);

type Node = Omit<World, "ready">;
const ways: [engine: string, skip: string | false, start: () => Promise<[Node, Node]>][] = [
  ["SQLite", false, async () => pair(temporaryFolder(), {})],
  [
    "PostgreSQL",
    lacksPostgres() ?? false,
    async () => pair(undefined, { OCTAVO_POSTGRES_URL: await createDatabase() }),
  ],
];

async function pair(shared: string | undefined, env: Record<string, string>): Promise<[Node, Node]> {
  const variables = { ...env, ...(await issuer).env };
  const start = (): Promise<Node> =>
    startWorld({ data: shared ?? temporaryFolder(), "public-url": base, "auth-failures-per-minute": "0" }, variables);
  const here = await start();
  return [here, await start()];
}

const statuses = (replies: readonly Reply[]): number[] => replies.map(({ status }) => status).sort();

for (const [engine, skip, start] of ways) {
  describe(engine, { skip }, () => {
    let nodes: [Node, Node];
    before(async () => {
      nodes = await start();
    });
    after(() => Promise.all(nodes.map(({ app }) => app.close())));

    test("of many at once, on both nodes, one wins", async () => {
      const [a, b] = nodes.map(peopleOf) as [ReturnType<typeof peopleOf>, ReturnType<typeof peopleOf>];
      for (let round = 0; round < 3; round++) {
        const code = codeOf(await a.invite("viewer"));
        assert.deepEqual(statuses(await Promise.all([a, b, a, b].map(({ join }) => join(code)))), [200, 401, 401, 401]);
        // Two who go down with each other: the store keeps an owner.
        const owners = await Promise.all([a.personOf("owner"), a.personOf("owner")]);
        for (const { person } of await owned(a)) {
          if (!owners.some((one) => one.person.id === person.id))
            await a.manage("DELETE", "/api/people", { id: person.id });
        }
        const [one, two] = owners;
        const demote = (by: (typeof owners)[0], whom: (typeof owners)[0], at: typeof a, n: number) =>
          n === 0
            ? at.send(by.session, "PATCH", "/api/people", { body: { id: whom.person.id, role: "viewer" } })
            : n === 1
              ? at.send(by.session, "PATCH", "/api/people", { body: { id: whom.person.id, state: "disabled" } })
              : at.send(by.session, "DELETE", "/api/people", { body: { id: whom.person.id } });
        await until(async () => b.isIn(two.session), "known on the other node");
        await Promise.all([demote(one, two, a, round), demote(two, one, b, round)]);
        assert.equal((await owned(a)).length, 1);
        // And who demotes himself last is refused.
        const [left] = await owned(b);
        const last = await Promise.all(
          [a, b].map((at) => at.manage("PATCH", "/api/people", { id: left?.person.id, role: "viewer" })),
        );
        for (const reply of last) refused(reply, 409, "last_owner");
      }
    });

    test("what ends sessions ends them on every node", async () => {
      const [here, there] = nodes.map(peopleOf) as [ReturnType<typeof peopleOf>, ReturnType<typeof peopleOf>];
      const reset = async (person: Shown) => {
        const made = (await here.manage("POST", "/api/people/reset", { id: person.id })).json.data as Shown;
        return here.join(codeOf(made), { password: "another quiet harbour" });
      };
      const ends: [how: string, end: (person: Shown, by: SignedIn) => Promise<Reply>][] = [
        ["deleted", ({ id }) => here.manage("DELETE", "/api/people", { id })],
        ["reset", reset],
        [
          "password",
          (_, by) => {
            const body = { password: "a louder harbour", current_password: good };
            return here.send(by, "PATCH", "/api/people/me", { body });
          },
        ],
        ["signed out", (_, by) => here.send(by, "DELETE", "/admin/session")],
      ];
      for (const [how, end] of ends) {
        const { person, session } = await here.personOf("editor");
        const other = how === "signed out" ? session : signedIn(await here.signIn(person.email));
        assert.ok(await there.isIn(other), how);
        const ended = await end(person, session);
        assert.ok(ended.status < 300, ended.text);
        const endedMs = performance.now();
        assert.equal(await here.isIn(other), false, `${how}: at once on the same node`);
        while (await there.isIn(other)) assert.ok(performance.now() - endedMs < 2000, `${how}: on the other node`);
      }
    });

    test("a sign-in at the issuer begins on one node and ends on the other, once; an invitation is one subject's", async () => {
      const [here, there] = nodes;
      const { invite, manage } = peopleOf(here);
      const { accounts, signIn } = await issuer;
      const begin = async (node: Node, subject: string) => {
        const reply = await fetch(`${node.app.url}/admin/session/oidc`, { redirect: "manual" });
        const cookie = reply.headers.getSetCookie()[0]?.split(";", 1)[0] as string;
        const answer = await signIn(reply.headers.get("location") ?? "", subject);
        return { cookie, back: answer.pathname + answer.search };
      };
      const finish = async (node: Node, { cookie, back }: Awaited<ReturnType<typeof begin>>) => {
        const reply = await fetch(node.app.url + back, { redirect: "manual", headers: { cookie } });
        return { status: reply.status, cookies: reply.headers.getSetCookie(), location: reply.headers.get("location") };
      };
      const email = newEmail();
      const subjects = ["eve", "ada", "mallory"].map((name) => `${name} of ${engine}`);
      for (const subject of subjects) accounts.set(subject, { email, email_verified: true });
      const invited = await invite("author", email);
      const flows = [];
      for (const subject of subjects) flows.push(await begin(here, subject));
      const replies = await Promise.all(flows.map((flow, i) => finish(i === 0 ? here : there, flow)));
      assert.deepEqual(replies.map(({ status }) => status).sort(), [302, 401, 401]);
      const winner = replies.findIndex(({ status }) => status === 302);
      assert.equal(replies[winner]?.location, `${base}/admin`);
      const subject = subjects[winner] as string;
      // The same answer again, on either node, and one answer on both at once.
      for (const node of nodes) assert.equal((await finish(node, flows[winner] as (typeof flows)[0])).status, 401);
      // The issuer may end what it gave for a code that comes twice.
      const again = await begin(there, subject);
      const twice = await Promise.all([finish(here, again), finish(there, again)]);
      assert.ok(twice.filter(({ status }) => status === 302).length <= 1);
      const { cookies } = await finish(here, await begin(there, subject));
      const cookie = cookies.find((set) => set.startsWith("octavo_session=")) ?? "";
      const me = await there.send("GET", "/api/people/me", { headers: { Cookie: cookie.split(";", 1)[0] as string } });
      assert.equal((me.json.data as Shown).id, invited.id);
      // Disabled on one node while a sign-in is under way to the other.
      const late = await begin(there, subject);
      assert.equal((await manage("PATCH", "/api/people", { id: invited.id, state: "disabled" })).status, 200);
      assert.equal((await finish(there, late)).status, 401);
    });
  });
}

/** The active owners. */
async function owned({ manage }: ReturnType<typeof peopleOf>): Promise<{ person: Shown }[]> {
  const all = (await manage("GET", "/api/people", { limit: "1000" })).json.data as Shown[];
  return all.flatMap((person) => (person.role === "owner" && person.state === "active" ? [{ person }] : []));
}
