import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { hashSecret, type TokenKind, type TokenStore } from "../../src/core/access/token.ts";
import type { EventStore } from "../../src/core/event.ts";
import { Problem } from "../../src/core/problem.ts";
import type { Session, SessionStore } from "../../src/people/session.ts";

export type OpenSessionStore = {
  sessions: SessionStore;
  tokens: TokenStore;
  events: EventStore;
  close(): Promise<void>;
};

const refused = (code: string) => (error: unknown) => error instanceof Problem && error.code === code;
const maxPerToken = 3;

/**
 * The contract of every session store. `openAgain` opens the same store a second time, where the end of a session must
 * be visible within `besideMs`.
 */
export function sessionStoreSuite(
  name: string,
  open: () => Promise<OpenSessionStore>,
  openAgain: () => Promise<OpenSessionStore>,
  besideMs = 0,
): void {
  let store: OpenSessionStore;
  let other: OpenSessionStore;
  before(async () => {
    store = await open();
    other = await openAgain();
  });
  after(async () => {
    await other.close();
    await store.close();
  });

  const token = async (id: string, kind: TokenKind, expiresAt: number | null = null): Promise<string> => {
    const row = {
      id,
      kind,
      resources: [],
      paths: null,
      writes: "all" as const,
      label: "",
      environment: "",
      state: "enabled" as const,
    };
    const more = { limitCalls: 0, calls: 0, expiresAt, createdAt: 1, lastUsedAt: null, maker: null };
    await store.tokens.create({ ...row, ...more }, { hash: hashSecret(id) }, { actor: "test" });
    return id;
  };
  /** Two new tokens. */
  const pair = async (about: string, expiresAt: number | null = null) => ({
    actor: await token(`${about}-m`, "management"),
    accessTokenId: await token(`${about}-a`, "access", expiresAt),
  });
  const session = (id: string, tokens: Pick<Session, "actor" | "accessTokenId">, createdAt = 10): Session => ({
    ...{ id, ...tokens, createdAt },
    lastSeenAt: createdAt,
    expiresAt: createdAt + 1000,
  });
  const lives = async (at: OpenSessionStore, id: string, nowSeconds = 11) =>
    (await at.sessions.find(id, nowSeconds)) !== undefined;
  const endsBeside = async (id: string): Promise<boolean> => {
    for (const deadline = performance.now() + besideMs; ; await new Promise((resolve) => setTimeout(resolve, 10))) {
      if (!(await lives(other, id))) return true;
      if (performance.now() >= deadline) return false;
    }
  };

  test(`${name}: an ended session is gone at once, on other openers soon; a second end finds none`, async () => {
    const started = await store.sessions.start(session("ended", await pair("ended")), maxPerToken);
    assert.deepEqual(await store.sessions.find("ended", 11), started);
    assert.deepEqual(await other.sessions.find("ended", 11), started);
    await store.sessions.end("ended", { actor: "test", nowSeconds: 12 });
    assert.equal(await lives(store, "ended"), false);
    assert.ok(await endsBeside("ended"));
    await assert.rejects(store.sessions.end("ended", { actor: "test", nowSeconds: 12 }), refused("session_not_found"));
    await assert.rejects(other.sessions.end("ended", { actor: "test", nowSeconds: 12 }), refused("session_not_found"));
    const told = (await store.events.list(0, 1000)).filter(({ subject }) => subject === "ended");
    assert.deepEqual(
      told.map(({ kind, actor }) => [kind, actor]),
      [
        ["session.start", "ended-m"],
        ["session.end", "test"],
      ],
    );
  });

  for (const half of ["m", "a"] as const) {
    const voided: [string, (id: string) => Promise<unknown>][] = [
      ["revoked", (id) => store.tokens.revoke(id, { actor: "test", nowSeconds: 12 })],
      [
        "rotated",
        (id) => store.tokens.rotate(id, { hash: hashSecret(`${id}-second`) }, { actor: "test", nowSeconds: 12 }),
      ],
      ["disabled", (id) => store.tokens.update(id, { state: "disabled" }, { actor: "test", nowSeconds: 12 })],
    ];
    for (const [how, act] of voided) {
      const about = `${how}-${half}`;
      test(`${name}: a token that is ${how} ends its sessions for good (${half})`, async () => {
        await store.sessions.start(session(about, await pair(about)), maxPerToken);
        assert.ok(await lives(other, about));
        await act(`${about}-${half}`);
        assert.equal(await lives(store, about), false);
        assert.ok(await endsBeside(about));
        if (how === "disabled")
          await store.tokens.update(`${about}-${half}`, { state: "enabled" }, { actor: "test", nowSeconds: 13 });
        assert.equal(await lives(store, about), false);
      });
    }
  }

  test(`${name}: a session expires with the first of its tokens, even when that expiry is moved forward`, async () => {
    const tokens = await pair("expiring", 500);
    const { expiresAt } = await store.sessions.start(session("expiring", tokens), maxPerToken);
    assert.equal(expiresAt, 500);
    assert.equal((await store.sessions.prolong("expiring", 2000, 20)).expiresAt, 500);
    assert.ok(await lives(other, "expiring", 499));
    assert.equal(await lives(other, "expiring", 500), false);
    await store.tokens.update(tokens.actor, { expiresAt: 300 }, { actor: "test", nowSeconds: 20 });
    assert.equal(await lives(store, "expiring", 300), false);
    assert.ok(await lives(store, "expiring", 299));
  });

  test(`${name}: an extended session is valid on other openers past the end they knew`, async () => {
    await store.sessions.start(session("longer", await pair("longer")), maxPerToken);
    assert.equal((await other.sessions.find("longer", 11))?.expiresAt, 1010);
    await store.sessions.prolong("longer", 3000, 900);
    assert.equal((await other.sessions.find("longer", 2000))?.expiresAt, 3000);
    await assert.rejects(store.sessions.prolong("longer", 4000, 3000), refused("session_invalid"));
    await assert.rejects(store.sessions.prolong("never", 4000, 10), refused("session_invalid"));
  });

  test(`${name}: an invalid token starts no session`, async () => {
    const tokens = await pair("void");
    await store.tokens.update(tokens.accessTokenId, { state: "disabled" }, { actor: "test", nowSeconds: 9 });
    await assert.rejects(store.sessions.start(session("void", tokens), 3), refused("access_token_invalid"));
    await store.tokens.revoke(tokens.actor, { actor: "test", nowSeconds: 9 });
    await assert.rejects(store.sessions.start(session("void", tokens), 3), refused("token_invalid"));
    assert.equal(await lives(store, "void"), false);
  });

  test(`${name}: past a token's limit its oldest session ends with an event; only its live ones count`, async () => {
    const [tokens, others] = [await pair("many"), await pair("few")];
    await store.sessions.start(session("few", others, 5), maxPerToken);
    for (let i = 1; i <= maxPerToken + 1; i++) {
      await store.sessions.start(session(`many-${i}`, tokens, 20 + 2 * i), maxPerToken);
      // Expires in the second in which the third one starts.
      if (i === 1) await store.sessions.start({ ...session("dead", tokens, 23), expiresAt: 26 }, maxPerToken);
      if (i <= maxPerToken) assert.ok(await lives(other, "many-1", 30));
    }
    assert.ok(await endsBeside("many-1"));
    for (const id of ["many-2", "many-3", "many-4", "few"]) assert.ok(await lives(store, id, 30), id);
    const ended = (await store.events.list(0, 1000)).filter(({ subject }) => subject === "many-1");
    assert.deepEqual(ended.at(-1)?.kind, "session.end");
  });

  test(`${name}: the list has live sessions, newest first, in pages`, async () => {
    const tokens = await pair("listed");
    for (let i = 1; i <= 5; i++) await store.sessions.start(session(`listed-${i}`, tokens, 5000 + (i >> 1)), 10);
    const ids: string[] = [];
    let after: Session | undefined;
    do {
      const page: Session[] = await other.sessions.list(5001, 2, after);
      ids.push(...page.map(({ id }) => id));
      after = page.at(-1);
    } while (after);
    assert.deepEqual(ids, ["listed-5", "listed-4", "listed-3", "listed-2", "listed-1"]);
    await store.sessions.start(session("another", await pair("another"), 5002), 10);
    const ofOne = await other.sessions.list(5003, 2, undefined, tokens.actor);
    assert.deepEqual(
      ofOne.map(({ id }) => id),
      ["listed-5", "listed-4"],
    );
    const liveAt = async (nowSeconds: number) => ({
      count: await other.sessions.count(nowSeconds),
      listed: (await other.sessions.list(nowSeconds, 100)).map(({ id }) => id),
      own: (await other.sessions.listOf(tokens.actor, nowSeconds)).map(({ id }) => id),
    });
    const own = ["listed-5", "listed-4"];
    assert.deepEqual(await liveAt(6001), { count: 3, listed: [...own, "another"], own });
    assert.deepEqual(await liveAt(6002), { count: 0, listed: [], own: [] });
    await store.sessions.prune(6002);
    assert.deepEqual(
      (await store.sessions.list(0, 100)).map(({ id }) => id),
      [],
    );
  });

  test(`${name}: the last use is written at most once a minute by all openers together`, async () => {
    const started = await store.sessions.start(session("seen", await pair("seen"), 9000), maxPerToken);
    const seenAt = async (at: OpenSessionStore) => {
      const [found] = (await at.sessions.list(9001, 100)).filter(({ id }) => id === "seen");
      return found?.lastSeenAt;
    };
    store.sessions.see(started, 9059);
    assert.equal(await seenAt(store), 9000);
    store.sessions.see(started, 9060);
    store.sessions.see(started, 9070);
    assert.equal(await seenAt(store), 9060);
    other.sessions.see(started, 9100);
    assert.equal(await seenAt(other), 9060);
    other.sessions.see(started, 9165);
    assert.equal(await seenAt(other), 9165);
    assert.equal(await seenAt(store), 9165);
  });
}
