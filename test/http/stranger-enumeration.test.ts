import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Reply, useWorld } from "../harness.ts";
import { orLong } from "../long.ts";
import { codeOf, good, newEmail, peopleOf } from "../people.ts";

/** Nobody learns from a refusal whether there is an account. Contract, part three, §19; docs/people.md, What was attacked. */

const world = useWorld({ "trust-proxy": "127.0.0.1", "auth-failures-per-minute": "1000" });
before(() => world.ready);
const { manage, invite, personOf, signIn } = peopleOf(world);

let lastAddress = 0;
/** Another client's address each time: what waits is the account. */
const from = (): Record<string, string> => {
  const n = ++lastAddress;
  return { "X-Forwarded-For": `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}` };
};

/** An address of each kind of account, and of none. */
const kinds: Record<string, () => Promise<string>> = {
  active: async () => (await personOf("owner")).person.email,
  nobody: async () => newEmail(),
  invited: async () => (await invite("editor")).email,
  disabled: async () => {
    const { person } = await personOf("editor");
    await manage("PATCH", "/api/people", { id: person.id, state: "disabled" });
    return person.email;
  },
  "without a password": async () => {
    const { id, email } = await invite("editor");
    // As one who has passkeys, or signs in at an issuer.
    const { people } = world.app.stores;
    const asserted = { identity: { issuer: "i", subject: id }, emailKey: email, name: "x", roles: undefined };
    await people.enter(asserted, { actor: "", nowSeconds: Math.floor(Date.now() / 1000) });
    return email;
  },
  deleted: async () => {
    const { person } = await personOf("editor");
    await manage("DELETE", "/api/people", { id: person.id });
    return person.email;
  },
};

/** All of a reply that its sender sees, but the number of the request, whose length is no secret, and the time. */
const seen = ({ status, headers, text }: Reply): unknown => {
  const kept = [...headers].filter(([name]) => !["date", "x-request-id", "content-length"].includes(name));
  return [status, kept, text.replace(/"request_id":"\w+"/, "")];
};

test("a refusal is the same for whoever it may be, and for nobody, also when the next try has to wait", async () => {
  const told: Record<string, unknown[]> = {};
  for (const [kind, make] of Object.entries(kinds)) {
    const email = await make();
    told[kind] = [];
    // In every spelling: the count is one.
    for (const spelling of [email, email.toUpperCase(), ` ${email}`, email, `${email}\t`, email, email.toUpperCase()])
      told[kind].push(seen(await signIn(spelling, "a wrong password", from())));
  }
  const { active, ...others } = told;
  assert.deepEqual(
    active?.map((one) => (one as [number])[0]),
    [401, 401, 401, 401, 401, 429, 429],
  );
  for (const [kind, one] of Object.entries(others)) assert.deepEqual(one, active, kind);
});

test("passkeys, links and codes say nothing about anybody", async () => {
  const { person } = await personOf("owner");
  const post = (path: string, body: object) => world.send("POST", path, { body, headers: from() });
  const shape = ({ json }: Reply) => JSON.stringify(json).replace(/"challenge":"[^"]*"/, "");
  const options = "/admin/session/passkey/options";
  const mine = await post(options, { email: person.email, name: person.name });
  assert.equal(shape(mine), shape(await post(options, {})));
  assert.equal(shape(mine), shape(await post(options, { email: newEmail() })));
  const { link } = (await manage("POST", "/api/people/reset", { id: person.id })).json.data as { link: string };
  const code = codeOf({ link });
  const wrong = [
    code.slice(0, -1),
    `${code}x`,
    code.toUpperCase(),
    code.replace("reset-", "invite-"),
    code.slice(6),
    "",
  ];
  const replies = [];
  for (const sent of [...wrong, `reset-${"A".repeat(43)}`]) {
    for (const more of [{}, { name: "Eve", password: good, email: person.email }])
      replies.push(await post("/admin/session/link", { code: sent, ...more }));
    replies.push(await post(options, { code: sent }));
  }
  assert.equal(new Set(replies.map((reply) => JSON.stringify(seen(reply)))).size, 1);
  assert.equal(replies[0]?.json.code, "sign_in_link_invalid");
});

const rounds = orLong(8, 40);

test(`a refusal takes as long for whoever it may be, and for nobody, ${rounds} times`, async () => {
  const addresses = new Map<string, string[]>();
  // Four tries of each: a fifth makes the next one wait.
  for (const [kind, make] of Object.entries(kinds))
    addresses.set(kind, await Promise.all(Array.from({ length: rounds / 4 }, make)));
  const times = new Map([...addresses.keys()].map((kind) => [kind, [] as number[]]));
  for (let round = 0; round < rounds; round++) {
    // In turn, each time from another one on: what else the machine does meets all of them.
    const turn = [...addresses].map((_, i, all) => all[(i + round) % all.length] as [string, string[]]);
    for (const [kind, emails] of turn) {
      const startedMs = performance.now();
      const { status } = await signIn(emails[round >> 2] as string, "a wrong password", from());
      times.get(kind)?.push(performance.now() - startedMs);
      assert.equal(status, 401);
    }
  }
  // The lower quartile: what else the machine does only adds. Without the hash a refusal takes a tenth of the time.
  const quartiles = [...times].map(
    ([kind, all]) => [kind, all.toSorted((a, b) => a - b)[rounds >> 2] as number] as const,
  );
  const [least, most] = [Math.min(...quartiles.map(([, ms]) => ms)), Math.max(...quartiles.map(([, ms]) => ms))];
  assert.ok(least > most * orLong(0.4, 0.7), quartiles.map(([kind, ms]) => `${kind} ${ms.toFixed(1)} ms`).join(", "));
});
