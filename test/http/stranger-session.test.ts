import assert from "node:assert/strict";
import { request } from "node:http";
import { before, test } from "node:test";
import { hashSecret } from "../../src/core/access/token.ts";
import { redactUrl } from "../../src/core/http/log.ts";
import { type Reply, useWorld } from "../harness.ts";
import { orLong } from "../long.ts";
import { codeOf, good, newEmail, peopleOf, refused, type SignedIn, signedIn } from "../people.ts";
import { workedMs } from "../processor-time.ts";

/** Attacks on sessions, on what proves a person again, and on who has an account. Contract, part three, §19; docs/people.md, What was attacked. */

const world = useWorld({ "trust-proxy": "127.0.0.1", "auth-failures-per-minute": "1000" });
before(() => world.ready);
const { manage, invite, join, personOf, send, signIn, isIn } = peopleOf(world);

let lastAddress = 0;
/** Another client's address each time. */
const from = (): Record<string, string> => {
  const n = ++lastAddress;
  return { "X-Forwarded-For": `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}` };
};

test("nothing but the right password forgets the wrong ones before it", async () => {
  const { session } = await personOf("viewer");
  const headers = from();
  const guess = (more: object) =>
    send(session, "PATCH", "/api/people/me", { body: { current_password: "a wrong guess", ...more }, headers });
  const replies = [];
  for (let i = 0; i < 8; i++) {
    replies.push(await guess({ password: "a louder harbour" }));
    // Changes that need no proof, or are refused for another reason.
    replies.push(await guess({ name: "Ada" }), await guess({ password: "short" }));
  }
  assert.equal(replies.at(-1)?.json.code, "too_many_failures");
  assert.equal(replies.filter(({ status }) => status === 200).length, 0);
});

test("a session that begins with the old password does not outlive its change", async () => {
  const { person, session } = await personOf("viewer");
  const started: Promise<SignedIn | undefined>[] = [];
  let [password, isOver] = [good, false];
  for (let round = 0; round < 2; round++) {
    const next = `another quiet harbour ${round}`;
    const change = send(session, "PATCH", "/api/people/me", { body: { password: next, current_password: password } });
    change.finally(() => (isOver = true));
    // At most four at once: a fifth would wait.
    for (isOver = false; !isOver; ) {
      const four = [1, 2, 3, 4].map(async () => {
        const reply = await signIn(person.email, password, from());
        return reply.status === 200 ? signedIn(reply) : undefined;
      });
      started.push(...four);
      await Promise.all(four);
    }
    assert.equal((await change).status, 200, (await change).text);
    password = next;
    const left = await Promise.all((await Promise.all(started)).map((one) => one !== undefined && isIn(one)));
    assert.ok(!left.includes(true), "a session of the old password");
    signedIn(await signIn(person.email, password, from()));
  }
  assert.ok(await isIn(session));
});

test("another address ends the link that was sent to the one before", async () => {
  const invited = await invite("viewer");
  await manage("PATCH", "/api/people", { id: invited.id, role: "editor", name: "Ada" });
  const email = newEmail();
  await manage("PATCH", "/api/people", { id: invited.id, email });
  refused(await join(codeOf(invited)), 401, "sign_in_link_invalid");
  const again = (await manage("POST", "/api/people/reset", { id: invited.id })).json.data as typeof invited;
  const session = signedIn(await join(codeOf(again)));
  const reset = (await manage("POST", "/api/people/reset", { id: invited.id })).json.data as typeof invited;
  const own = await send(session, "PATCH", "/api/people/me", { body: { email: newEmail() } });
  assert.equal(own.status, 200, own.text);
  refused(await join(codeOf(reset)), 401, "sign_in_link_invalid");
  assert.ok(await isIn(session));
});

/** A request with a Host of its own, which fetch does not send. */
function withHost(
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: object,
): Promise<[number, string]> {
  const { hostname, port } = new URL(world.app.url);
  const { promise, resolve, reject } = Promise.withResolvers<[number, string]>();
  const sent = request({ hostname, port, method, path, headers }, (reply) => {
    reply.setEncoding("utf8");
    let text = `${JSON.stringify(reply.headers)}\n`;
    reply.on("data", (part: string) => (text += part));
    reply.on("end", () => resolve([reply.statusCode ?? 0, text]));
  });
  sent.on("error", reject);
  sent.end(body && JSON.stringify(body));
  return promise;
}

test("no header chooses where a link, a cookie or a browser leads", async () => {
  const { person } = await personOf("viewer");
  const evil = "evil.example";
  const tokens = { token: world.token.management, access_token: world.token.access };
  for (const named of [
    { Host: evil },
    { "X-Forwarded-Host": evil },
    { Host: evil, "X-Forwarded-Host": evil, "X-Forwarded-Proto": "https", "X-Original-Host": evil },
    { Forwarded: `host=${evil};proto=https` },
    { Host: evil, Origin: `http://${evil}`, Referer: `http://${evil}/` },
  ] as Record<string, string>[]) {
    const headers = { "Content-Type": "application/json", ...named };
    const replies = [
      await withHost("POST", "/api/people", headers, { ...tokens, email: newEmail(), role: "viewer" }),
      await withHost("POST", "/api/people/reset", headers, { ...tokens, id: person.id }),
      await withHost("POST", "/admin/session", headers, { email: person.email, password: good }),
      await withHost("POST", "/admin/session/passkey/options", headers, {}),
    ];
    for (const [status, text] of replies) {
      assert.equal(status, 200, text);
      assert.ok(!text.includes(evil), text);
    }
    for (const [, text] of replies.slice(0, 2)) assert.ok(text.includes(`"link":"${world.app.url}/admin#code=`), text);
    assert.doesNotMatch(replies[2]?.[1] ?? "", /domain=/i);
  }
});

test("a code is told to nobody but who made the link", async () => {
  const { person, session } = await personOf("owner");
  const invited = await invite("viewer");
  const reset = (await manage("POST", "/api/people/reset", { id: person.id })).json.data as typeof invited;
  const codes = [codeOf(invited), codeOf(reset)];
  const told = [
    await send(session, "GET", "/api/events", { query: { newest: "true" } }),
    await send(session, "GET", "/api/people"),
    await send(session, "GET", "/api/sessions"),
  ];
  for (const code of codes) {
    const query = { code };
    told.push(
      await world.send("GET", "/admin/session/link", { query }),
      await world.send("POST", "/admin/session/link", { query, body: {} }),
      await world.send("POST", "/admin/session/link", { body: { code: [code] } }),
      await world.send("POST", "/admin/session/link", { body: { code, name: "x".repeat(201), password: code } }),
      await world.send("POST", "/admin/session/passkey", { body: { code } }),
      await world.send("GET", `/admin/session/link/${code.slice(0, 5)}`),
    );
    assert.equal(redactUrl(`/admin?code=${code}&x=1#code=${code}`).includes(code), false);
  }
  for (const { text } of told)
    for (const code of codes) assert.ok(!text.includes(code) && !text.includes(hashSecret(code)), text);
  for (const path of ["/api/people", "/api/people/reset"]) {
    const headers = { "Idempotency-Key": "once" };
    const body = { id: person.id, email: newEmail(), role: "viewer" };
    refused(await send(session, "POST", path, { body, headers }), 400, "idempotency_refused");
  }
});

test("a cookie is a new one with each sign-in, and its browser's alone", async () => {
  const { person, session } = await personOf("viewer");
  const planted = await signIn(person.email, good, { Cookie: session.cookie, "Sec-Fetch-Site": "same-origin" });
  const after = signedIn(planted);
  assert.notEqual(after.cookie, session.cookie);
  assert.equal(await isIn(session), false, "what was there before is over");
  const set = planted.headers.getSetCookie();
  assert.equal(set.length, 1);
  assert.match(set[0] ?? "", /^octavo_session=[\w-]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/);
  const secure = await signIn(person.email, good, { "X-Forwarded-Proto": "https", "X-Forwarded-Host": "cms.example" });
  assert.match(secure.headers.getSetCookie()[0] ?? "", /; HttpOnly; SameSite=Strict; Secure$/);
  for (const value of ["x", after.id, `${after.cookie.split("=")[1]}A`, after.cookie.split("=")[1]?.slice(0, -4)]) {
    const forged = { ...after, cookie: `octavo_session=${value}` };
    assert.equal(await isIn(forged), false);
    const again = await signIn(person.email, good, { Cookie: forged.cookie, "Sec-Fetch-Site": "same-origin" });
    assert.notEqual(signedIn(again).cookie, forged.cookie);
  }
  // Planted by another site below the same domain: neither of the two is taken for the person's.
  const { session: eve } = await personOf("editor");
  for (const Cookie of [`${eve.cookie}; ${after.cookie}`, `${after.cookie}; x=y; ${eve.cookie}`]) {
    const headers = { Cookie, "Sec-Fetch-Site": "same-origin" };
    assert.equal((await world.send("GET", "/admin/session", { headers })).text, '{"data":null}');
    refused(await world.send("GET", "/api/people/me", { headers }), 401, "token_missing");
  }
  const out = await send(after, "DELETE", "/admin/session");
  assert.match(out.headers.getSetCookie()[0] ?? "", /^octavo_session=; Path=\/; Max-Age=0; /);
});

test("GHSA-56p6-qw3c-fq2g: who is disabled is out at once, by whatever the session has made or opened", async () => {
  const { person, session } = await personOf("owner");
  const { session: staff } = await personOf("owner");
  await manage("POST", "/api/entries", { id: "out/draft", data: { visibility: "draft" } });
  const made = await send(session, "POST", "/api/tokens/preview", { body: { paths: ["out"] } });
  const { token } = made.json.data as { token: string };
  const preview = () => world.send("GET", "/api/entries", { query: { id: "out/draft", token } });
  assert.equal((await preview()).status, 200);
  const stream = await fetch(`${world.app.url}/api/events`, {
    headers: { Accept: "text/event-stream", Cookie: session.cookie, "Sec-Fetch-Site": "same-origin" },
  });
  assert.equal(stream.status, 200);
  assert.equal((await manage("PATCH", "/api/people", { id: person.id, state: "disabled" })).status, 200);
  const value = session.cookie.slice("octavo_session=".length);
  for (const reply of [
    await send(session, "GET", "/api/people"),
    await send(session, "POST", "/admin/session"),
    await send(session, "PATCH", "/api/people/me", { body: { name: "Still" } }),
    await send(session, "POST", "/api/entries", { body: { id: "out/late", data: {} } }),
  ])
    refused(reply, 401, "session_invalid");
  const asToken = await world.send("GET", "/api/people", { headers: { Authorization: `Bearer ${value}` } });
  refused(asToken, 401, "token_invalid");
  refused(await preview(), 401, "token_invalid");
  refused(await signIn(person.email, good, from()), 401, "sign_in_failed");
  // Ends by itself, before what happens now is told.
  assert.ok(stream.body);
  for await (const part of stream.body) assert.ok(!Buffer.from(part).includes("out/after"), "nothing after that");
  assert.ok(await isIn(staff));
});

test("GHSA-xg6x-h9c9-2m83: there is no session before the last proof, and none that is only a cookie", async () => {
  const { person, session } = await personOf("viewer");
  const code = codeOf(await invite("viewer"));
  const replies = [
    await signIn(person.email, "a wrong password", from()),
    await world.send("POST", "/admin/session/passkey/options", { body: {} }),
    await world.send("POST", "/admin/session/passkey/options", { body: { code, name: "Ada" } }),
    await world.send("POST", "/admin/session/passkey", { body: { passkey: {} } }),
    await world.send("POST", "/admin/session/link", { body: { code } }),
    await world.send("POST", "/admin/session/link", { body: { code, name: "Ada", password: "short" } }),
    await world.send("POST", "/admin/session/link", { body: { code, name: "Ada", passkey: {} } }),
  ];
  for (const { headers, text } of replies) assert.equal(headers.get("set-cookie"), null, text);
  // What a session may do is read with each request, not kept in the cookie.
  assert.equal((await send(session, "GET", "/api/people")).status, 403);
  await manage("PATCH", "/api/people", { id: person.id, role: "owner" });
  assert.equal((await send(session, "GET", "/api/people")).status, 200);
  await manage("PATCH", "/api/people", { id: person.id, role: "viewer" });
  refused(await send(session, "GET", "/api/people"), 403, "scope_missing");
});

// ---------------------------------------------------------------------------------------------- who has an account

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
  "no address": async () => `no address ${++lastAddress}`,
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
    const headers = from();
    // In every spelling: the count is one.
    for (const spelling of [email, email.toUpperCase(), ` ${email}`, email, `${email}\t`, email, email.toUpperCase()])
      told[kind].push(seen(await signIn(spelling, "a wrong password", headers)));
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
      const startedMs = workedMs();
      const { status } = await signIn(emails[round >> 2] as string, "a wrong password", from());
      times.get(kind)?.push(workedMs() - startedMs);
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
