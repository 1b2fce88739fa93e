import assert from "node:assert/strict";
import { join } from "node:path";
import { before, test } from "node:test";
import { makeStore, runOctavo, startOctavo } from "../../test/cli/octavo.ts";
import { temporaryFolder } from "../../test/harness.ts";

/** People by command, the first start, and a store without tokens. Contract, part three, §19. */

const folder = temporaryFolder();
const data = ["--data", join(folder, "data")];
before(() => makeStore(join(folder, "data")));
const password = "a quiet harbour at noon";

const octavo = (...words: string[]) => runOctavo(["people", ...words, ...data], { cwd: folder });
const json = async (...words: string[]) => {
  const { code, out, err } = await octavo(...words, "--json");
  assert.equal(code, 0, err);
  return JSON.parse(out);
};

test("people are invited, listed, reset, disabled and given roles by id and address; the link is printed", async () => {
  assert.match((await octavo("list")).out, /no people/);
  const plain = await octavo("invite", "ada@example.org", "--role", "owner", "--name", "Ada");
  assert.match(plain.out, /^http:\/\/localhost:8080\/admin#code=invite-[\w-]{43}$/m);
  const bob = await json("invite", "bob@example.org", "--role", "editor", "--public-url", "https://o.example");
  assert.match(bob.link, /^https:\/\/o\.example\/admin#code=invite-/);
  const again = await octavo("invite", "ADA@example.org", "--role", "viewer");
  assert.deepEqual([again.code, /a person with this address/.test(again.err)], [1, true]);
  const { people } = await json("list");
  // Those of one second are in the order of their ids.
  const byEmail = people.toSorted((a: { email: string }, b: { email: string }) => a.email.localeCompare(b.email));
  assert.deepEqual(
    byEmail.map(({ name, email, role, state }: Record<string, string>) => [name, email, role, state]),
    [
      ["Ada", "ada@example.org", "owner", "invited"],
      ["", "bob@example.org", "editor", "invited"],
    ],
  );
  assert.match((await json("reset", "Bob@Example.org")).link, /#code=invite-/);
  assert.equal((await json("role", bob.id, "viewer")).role, "viewer");
  assert.equal((await json("disable", bob.id)).state, "disabled");
  assert.equal((await json("enable", "bob@example.org")).state, "invited");
  for (const [words, code, says] of [
    [["role", "bob@example.org", "nobody"], 1, /no role/],
    [["reset", "nobody@example.org"], 1, /no person/],
    [["invite", "x@example.org"], 2, /--role is missing/],
    [["invite", "x", "--role", "viewer"], 2, /EMAIL/],
  ] as const) {
    const reply = await octavo(...words);
    assert.equal(reply.code, code, reply.err);
    assert.match(reply.err, says);
  }
});

test("people are bound to subjects of the issuer, each of which is one person's, and their invitation ends", async () => {
  const issuer = { OIDC_ISSUER: "https://id.example.org", OIDC_CLIENT_ID: "octavo", OIDC_CLIENT_SECRET: "a secret" };
  const env = Object.fromEntries(Object.entries(issuer).map(([name, value]) => [`OCTAVO_${name}`, value]));
  const bind = (...words: string[]) => runOctavo(["people", "bind", ...words, ...data], { cwd: folder, env });
  for (const name of ["carol", "dave"]) await json("invite", `${name}@example.org`, "--role", "editor");
  const { code, out, err } = await bind("Carol@example.org", "--subject", "1|carol", "--json");
  assert.equal(code, 0, err);
  assert.equal(JSON.parse(out).state, "active");
  assert.equal((await bind("carol@example.org", "--subject", "2|carol")).code, 0, "to another subject");
  assert.equal((await bind("dave@example.org", "--subject", "1|carol")).code, 0, "that is free again");
  await json("disable", "dave@example.org");
  assert.match((await bind("dave@example.org", "--subject", "dave")).out, /disabled/);
  for (const [words, status, says] of [
    [["dave@example.org", "--subject", "2|carol"], 1, /another person is bound to it/],
    [["nobody@example.org", "--subject", "x"], 1, /no person/],
    [["dave@example.org"], 2, /--subject is missing/],
    [["dave@example.org", "--subject", ""], 2, /--subject/],
  ] as const) {
    const reply = await bind(...words);
    assert.equal(reply.code, status, reply.err);
    assert.match(reply.err, says);
  }
  const without = await octavo("bind", "dave@example.org", "--subject", "x");
  assert.deepEqual([without.code, /oidc_issuer is not set/.test(without.err)], [2, true]);
  const unbound = await json("unbind", "carol@example.org");
  assert.deepEqual([unbound.state, unbound.issuer, unbound.subject], ["invited", null, null]);
  assert.equal((await octavo("unbind", "nobody@example.org")).code, 1);
});

test("the first start prints a link that makes the owner, a reset one that signs in; the next start prints none", async () => {
  const other = ["--data", join(folder, "first")];
  const service = await startOctavo(other, { cwd: folder });
  const first = /http:\/\/localhost:\d+\/admin#code=owner-[\w-]+/.exec(service.lines.join("\n"))?.[0] as string;
  const use = async (link: string, more: object = {}) => {
    const body = JSON.stringify({ code: new URL(link).hash.replace("#code=", ""), password, ...more });
    const headers = { "Content-Type": "application/json" };
    return (await fetch(`${service.url}/admin/session/link`, { method: "POST", headers, body })).status;
  };
  try {
    assert.ok(first, service.lines.join("\n"));
    const olga = { name: "Olga", email: "olga@example.org" };
    assert.deepEqual([await use(first, olga), await use(first, olga)], [200, 401]);
    const run = (...words: string[]) => runOctavo(["people", ...words, ...other], { cwd: folder });
    const { out, err } = await run("reset", olga.email, "--json");
    assert.equal(await use(JSON.parse(out || "{}").link), 200, err);
    const refused = await run("role", olga.email, "editor");
    assert.deepEqual([refused.code, /only active owner/.test(refused.err)], [1, true]);
  } finally {
    await service.stop("SIGTERM");
  }
  const again = await startOctavo(other, { cwd: folder });
  await again.stop("SIGTERM");
  assert.doesNotMatch(again.lines.join("\n"), /#code=/);
});
