import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { before, describe, test } from "node:test";
import { authenticate, type Ceremony, flags, newPasskey, type Passkey, register } from "../../test/authenticator.ts";
import { type Reply, type SendOptions, useWorld } from "../../test/harness.ts";
import { workedMs } from "../../test/processor-time.ts";
import type { Algorithm } from "./cose-key.ts";
import { SessionSeal } from "./session.ts";

/** Signing in with passkeys, and one's own list of them. Contract, part three, §19. */

const origin = "https://octavo.example.org";
const world = useWorld({ "public-url": origin });
before(() => world.ready);

const good = "a quiet harbour at noon";

type SignedIn = { id: string; cookie: string; csrf: string; person: { id: string; email: string; state: string } };
type Options = {
  challenge: string;
  rpId?: string;
  user: { id: string; name: string };
  excludeCredentials: { id: string }[];
};

function refused(reply: Reply, status: number, code: string): void {
  assert.equal(reply.status, status, reply.text);
  assert.equal(reply.json.code, code);
}

function signedIn(reply: Reply): SignedIn {
  assert.equal(reply.status, 200, reply.text);
  const cookie = reply.headers.get("set-cookie")?.split(";", 1)[0] as string;
  const { id, csrf_token: csrf, person } = reply.json.data as SignedIn & { csrf_token: string };
  return { id, cookie, csrf, person };
}

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  world.send("POST", path, { body, headers: { "Sec-Fetch-Site": "same-origin", ...headers } });

async function optionsOf(path: string, body: object = {}, headers: Record<string, string> = {}): Promise<Options> {
  const reply = await post(path, body, headers);
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.headers.get("cache-control"), "no-store");
  return reply.json.data as Options;
}
const signInOptions = (body: object = {}) => optionsOf("/admin/session/passkey/options", body);
const with_ = (challenge: string, more: Partial<Ceremony> = {}): Ceremony => ({
  ...{ challenge, origin, rpId: "octavo.example.org" },
  ...more,
});

const manage = (method: string, path: string, args: object): Promise<Reply> =>
  world.send(method, path, { body: { token: world.token.management, access_token: world.token.access, ...args } });

let last = 0;
async function linkOf(role = "editor"): Promise<string> {
  const reply = await manage("POST", "/api/people", { email: `key-${++last}@example.org`, role });
  return new URL((reply.json.data as { link: string }).link).hash.replace("#code=", "");
}

/** A person who joined with a passkey, and the passkey. */
async function joined(algorithm: Algorithm = "ES256"): Promise<{ session: SignedIn; passkey: Passkey }> {
  const code = await linkOf();
  const options = await signInOptions({ code });
  const passkey = newPasskey(algorithm, options.user.id);
  const form = { code, name: "Ada", passkey: register(passkey, with_(options.challenge)), passkey_name: "Phone" };
  return { session: signedIn(await post("/admin/session/link", form)), passkey };
}

const signIn = async (passkey: Passkey, more: Partial<Ceremony> = {}) => {
  const { challenge } = await signInOptions();
  return post("/admin/session/passkey", { passkey: authenticate(passkey, with_(challenge, more)) });
};

const as = (session: SignedIn, method: string, path: string, options: SendOptions = {}) =>
  world.send(method, path, {
    ...options,
    headers: {
      ...{ "Sec-Fetch-Site": "same-origin", Cookie: session.cookie },
      ...(method === "GET" ? {} : { "X-CSRF-Token": session.csrf }),
    },
  });

const url = "/api/people/me/passkeys";
type Shown = {
  id: string;
  name: string;
  created_at: number;
  last_used_at: number | null;
  counter_back_at: number | null;
};
const listed = async (session: SignedIn) => (await as(session, "GET", url)).json.data as Shown[];

async function added(session: SignedIn, passkey: Passkey, name = "Laptop"): Promise<Reply> {
  const reply = await as(session, "POST", `${url}/options`);
  assert.equal(reply.status, 200, reply.text);
  const { challenge } = reply.json.data as Options;
  return as(session, "POST", url, { body: { name, passkey: register(passkey, with_(challenge)) } });
}

/** A session of the same person that began some seconds ago. */
async function olderSession({ person }: SignedIn, seconds: number): Promise<SignedIn> {
  const { sessions, signingKey } = world.app.stores;
  const now = Math.floor(Date.now() / 1000);
  const times = { createdAt: now - seconds, lastSeenAt: now, expiresAt: now + 3600 };
  const { id } = await sessions.start(
    { id: randomUUID(), actor: `person:${person.id}`, accessTokenId: "", ...times },
    50,
  );
  const seal = new SessionSeal(signingKey);
  const sealed = seal.seal({ id, token: "", accessToken: "", expiresAt: times.expiresAt });
  return { id, cookie: `octavo_session=${sealed}`, csrf: seal.csrfToken(sealed), person };
}

describe("links", () => {
  for (const algorithm of ["ES256", "EdDSA", "RS256"] as const)
    test(`an invitation is accepted with a passkey of ${algorithm}, which then signs in`, async () => {
      const { session, passkey } = await joined(algorithm);
      assert.equal(session.person.state, "active");
      const again = signedIn(await signIn(passkey));
      assert.equal(again.person.id, session.person.id);
      const [shown] = await listed(again);
      assert.equal(shown?.name, "Phone");
      assert.ok((shown?.last_used_at ?? 0) >= (shown?.created_at ?? 1));
      refused(await post("/admin/session", { email: session.person.email, password: "" }), 401, "sign_in_failed");
    });

  test("the options name the person and leave the link as it is", async () => {
    const code = await linkOf();
    const one = await signInOptions({ code });
    const two = await signInOptions({ code });
    assert.notEqual(one.challenge, two.challenge);
    assert.equal(one.user.id, two.user.id);
    assert.equal(one.user.name, `key-${last}@example.org`);
    const passkey = newPasskey("ES256", one.user.id);
    const form = { code, name: "Ada" };
    const wrong = register(passkey, with_(one.challenge, { origin: "https://evil.example" }));
    refused(await post("/admin/session/link", { ...form, passkey: wrong }), 422, "passkey_invalid");
    const unverified = register(passkey, with_(one.challenge, { flags: { off: flags.verified } }));
    refused(await post("/admin/session/link", { ...form, passkey: unverified }), 422, "passkey_invalid");
    refused(await post("/admin/session/link", form), 400, "argument_missing");
    signedIn(await post("/admin/session/link", { ...form, passkey: register(passkey, with_(two.challenge)) }));
    refused(await post("/admin/session/passkey/options", { code }), 401, "sign_in_link_invalid");
    refused(await post("/admin/session/passkey/options", { code: "invite-unknown" }), 401, "sign_in_link_invalid");
  });

  test("a challenge is for one link", async () => {
    const [mine, other] = [await linkOf(), await linkOf()];
    for (const challenge of [
      (await signInOptions({ code: other })).challenge,
      (await signInOptions()).challenge,
      Buffer.alloc(54).toString("base64url"),
    ]) {
      const passkey = register(newPasskey("ES256"), with_(challenge));
      refused(await post("/admin/session/link", { code: mine, name: "Ada", passkey }), 422, "passkey_invalid");
    }
  });

  test("a start's link makes an owner with a passkey", async () => {
    const code = new URL(world.app.signInLink({ asksOwner: true })).hash.replace("#code=", "");
    const form = { name: "Olga", email: "olga@example.org" };
    refused(await post("/admin/session/passkey/options", { code }), 400, "argument_missing");
    const options = await signInOptions({ code, ...form });
    assert.equal(options.user.name, form.email);
    const passkey = newPasskey("ES256", options.user.id);
    const owner = signedIn(
      await post("/admin/session/link", { code, ...form, passkey: register(passkey, with_(options.challenge)) }),
    );
    assert.equal(Buffer.from(options.user.id, "base64url").toString(), owner.person.id);
    assert.match(owner.person.id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.equal(signedIn(await signIn(passkey)).person.id, owner.person.id);
  });

  test("a reset with a passkey ends the password", async () => {
    const code = await linkOf();
    const { person } = signedIn(await post("/admin/session/link", { code, name: "Ada", password: good }));
    const reset = (await manage("POST", "/api/people/reset", { id: person.id })).json.data as { link: string };
    const resetCode = new URL(reset.link).hash.replace("#code=", "");
    const { challenge, user } = await signInOptions({ code: resetCode });
    const passkey = newPasskey("EdDSA", user.id);
    signedIn(await post("/admin/session/link", { code: resetCode, passkey: register(passkey, with_(challenge)) }));
    refused(await post("/admin/session", { email: person.email, password: good }), 401, "sign_in_failed");
    signedIn(await signIn(passkey));
  });
});

describe("signing in", () => {
  test("the options name nobody", async () => {
    const options = await signInOptions({ email: "olga@example.org" });
    const { challenge, ...rest } = options as Options & Record<string, unknown>;
    assert.match(challenge, /^[\w-]{72}$/);
    assert.deepEqual(rest, {
      ...{ timeout: 300_000, rpId: "octavo.example.org", allowCredentials: [], userVerification: "required" },
    });
    refused(
      await world.send("POST", "/admin/session/passkey/options", { body: { cod: "x" } }),
      400,
      "argument_unknown",
    );
    const sent = { passkey: {}, code: "x" };
    refused(await world.send("POST", "/admin/session/passkey", { body: sent }), 400, "argument_unknown");
  });

  test("one text for whatever is wrong", async () => {
    const { passkey, session } = await joined();
    const stranger = newPasskey("ES256", passkey.userHandle);
    const other = await joined();
    const replies = [
      await signIn(stranger),
      await signIn({ ...stranger, id: passkey.id }),
      await signIn({ ...passkey, userHandle: other.passkey.userHandle }),
      await signIn({ ...passkey, userHandle: undefined as unknown as string }),
      await signIn(passkey, { origin: "https://evil.example" }),
      await signIn(passkey, { rpId: "evil.example" }),
      await signIn(passkey, { flags: { off: flags.verified } }),
      await signIn(passkey, { challenge: "AAAA" }),
      await post("/admin/session/passkey", { passkey: {} }),
    ];
    await manage("PATCH", "/api/people", { id: session.person.id, state: "disabled" });
    replies.push(await signIn(passkey));
    for (const reply of replies) refused(reply, 401, "sign_in_failed");
    const texts = replies.map(({ json: { instance: _, request_id: _id, ...rest } }) => JSON.stringify(rest));
    assert.equal(new Set(texts).size, 1, texts.join("\n"));
    refused(await post("/admin/session/passkey", {}), 400, "argument_missing");
    refused(await post("/admin/session/passkey", { passkey: "text" }), 400, "argument_invalid");
  });

  test("a challenge of a new passkey signs nobody in", async () => {
    const { passkey, session } = await joined();
    const { challenge } = (await as(session, "POST", `${url}/options`)).json.data as Options;
    refused(
      await post("/admin/session/passkey", { passkey: authenticate(passkey, with_(challenge)) }),
      401,
      "sign_in_failed",
    );
  });

  test("whoever has a passkey signs in, however often others failed for the account", async () => {
    const { passkey, session } = await joined();
    const tries = await Promise.all(
      Array.from({ length: 30 }, () => post("/admin/session", { email: session.person.email, password: "wrong" })),
    );
    assert.ok(tries.some(({ json }) => json.code === "too_many_failures"));
    for (let count = 0; count < 30; count++) refused(await signIn(newPasskey("ES256")), 401, "sign_in_failed");
    signedIn(await signIn(passkey));
  });

  test("a counter that went back is told, and signs in", async () => {
    const { passkey, session } = await joined();
    signedIn(await signIn({ ...passkey, counter: 5 }));
    assert.equal((await listed(session))[0]?.counter_back_at, null);
    signedIn(await signIn({ ...passkey, counter: 4 }));
    assert.ok(((await listed(session))[0]?.counter_back_at ?? 0) > 0);
  });
});

describe("one's own passkeys", () => {
  test("they are added, listed and removed", async () => {
    const { session, passkey } = await joined();
    const laptop = newPasskey("EdDSA", passkey.userHandle);
    const reply = await added(session, laptop, " Laptop ");
    assert.equal(reply.status, 200, reply.text);
    const { id, name, last_used_at } = reply.json.data as Shown;
    assert.deepEqual([name, last_used_at], ["Laptop", null]);
    assert.deepEqual((await listed(session)).map((one) => one.name).sort(), ["Laptop", "Phone"]);
    for (const text of [reply.text, (await as(session, "GET", url)).text])
      for (const secret of ["public_key", "credential", laptop.id.toString("base64url")])
        assert.ok(!text.includes(secret), secret);
    const { excludeCredentials } = (await as(session, "POST", `${url}/options`)).json.data as Options;
    assert.equal(excludeCredentials.length, 2);
    signedIn(await signIn(laptop));
    assert.equal((await as(session, "DELETE", url, { body: { id } })).status, 204);
    refused(await signIn(laptop), 401, "sign_in_failed");
    refused(await as(session, "DELETE", url, { body: { id } }), 404, "passkey_not_found");
    const [{ id: only = "" } = {}] = await listed(session);
    refused(await as(session, "DELETE", url, { body: { id: only } }), 409, "last_credential");
  });

  test("a passkey is nobody else's", async () => {
    const [ada, bob] = [await joined(), await joined()];
    const [{ id = "" } = {}] = await listed(ada.session);
    refused(await as(bob.session, "DELETE", url, { body: { id } }), 404, "passkey_not_found");
    refused(await added(bob.session, ada.passkey), 422, "passkey_invalid");
    const { challenge } = (await as(ada.session, "POST", `${url}/options`)).json.data as Options;
    const passkey = register(newPasskey("ES256"), with_(challenge));
    refused(await as(bob.session, "POST", url, { body: { name: "x", passkey } }), 422, "passkey_invalid");
    assert.equal((await as(ada.session, "POST", url, { body: { name: "x", passkey } })).status, 200);
    refused(await as(ada.session, "POST", url, { body: { name: "x", passkey } }), 422, "passkey_invalid");
  });

  test("a change needs a sign-in within ten minutes, by whatever proof", async () => {
    const { session: first, passkey } = await joined();
    const session = await olderSession(first, 601);
    const [{ id = "" } = {}] = await listed(session);
    const later = newPasskey("ES256", passkey.userHandle);
    refused(await as(session, "POST", `${url}/options`), 403, "sign_in_again");
    refused(
      await as(session, "POST", url, { body: { name: "x", passkey: register(later, with_("AAAA")) } }),
      403,
      "sign_in_again",
    );
    refused(await as(session, "DELETE", url, { body: { id } }), 403, "sign_in_again");
    assert.equal((await as(session, "GET", url)).status, 200);
    const fresh = signedIn(await signIn(passkey));
    assert.equal((await added(fresh, later)).status, 200);
    assert.equal((await added(await olderSession(first, 595), newPasskey("ES256"))).status, 200);
  });

  test("names are checked", async () => {
    const { session } = await joined();
    for (const name of ["", "a\nb", "x".repeat(201)])
      refused(await added(session, newPasskey("ES256"), name), 400, "argument_invalid");
  });
});

test("a passkey that nobody has takes as long as a wrong one", async () => {
  const { passkey } = await joined();
  const stranger = newPasskey("ES256", passkey.userHandle);
  const { challenge } = await signInOptions();
  const times = { known: [] as number[], unknown: [] as number[] };
  // In turn, so that what else the machine does meets both.
  for (let round = 0; round < 300; round++) {
    for (const [kind, id] of [["known", passkey.id] as const, ["unknown", stranger.id] as const]) {
      const sent = { passkey: authenticate({ ...stranger, id }, with_(challenge)) };
      const startedMs = workedMs();
      refused(await post("/admin/session/passkey", sent), 401, "sign_in_failed");
      times[kind].push(workedMs() - startedMs);
    }
  }
  const middle = (all: number[]): number => all.toSorted((a, b) => a - b)[all.length >> 1] as number;
  const [known, unknown] = [middle(times.known), middle(times.unknown)];
  assert.ok(Math.abs(known - unknown) < 0.25 * Math.max(known, unknown), `${known} ms, ${unknown} ms`);
});
