import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { test } from "node:test";
import { personActor } from "../../src/core/access/actor.ts";
import { Problem } from "../../src/core/problem.ts";
import { maxPasskeys, type NewPasskey, type Passkey } from "../../src/people/passkey.ts";
import { newLink, newPerson, type Person } from "../../src/people/person.ts";
import { onEachEngine } from "./engines.ts";

/** The contract of every store of passkeys. */

const refused = (code: string) => (error: unknown) => error instanceof Problem && error.code === code;
const by = (nowSeconds = 10) => ({ actor: "test", nowSeconds });
const hash = `$argon2id$v=19$m=19456,t=2,p=1$${"A".repeat(22)}$${"B".repeat(43)}`;
const key = "MCowBQYDK2VwAyEA11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";

const challenge = (expiresAt = 300) => ({ challenge: randomBytes(54).toString("base64url"), expiresAt });
function newPasskey(person: string, more: Partial<Passkey> = {}): NewPasskey {
  const facts = { id: randomUUID(), person, name: "Phone", credential: randomBytes(16).toString("base64url"), key };
  const rest = { transports: ["hybrid", "internal"], counter: 0, createdAt: 10, lastUsedAt: null, counterBackAt: null };
  return { passkey: { ...facts, ...rest, ...more }, used: challenge() };
}

onEachEngine(async (store) => {
  const { passkeys, people, events } = store.ports;

  const invite = (): Promise<Person> =>
    people.create(
      newPerson({ email: `${randomUUID()}@example.org`, role: "viewer" }, { id: randomUUID(), nowSeconds: 10 }),
      undefined,
      by(),
    );
  const linkOf = async ({ id, state }: Person): Promise<string> => {
    const { link } = newLink({ state }, { nowSeconds: 10, actor: "test" });
    await people.link(id, link, by());
    return link.hash;
  };
  const active = async (password: string | null = hash): Promise<Person> => {
    const person = await invite();
    const passkey = password === null ? newPasskey(person.id) : undefined;
    return people.join(await linkOf(person), { name: "Ada", password, passkey }, by());
  };
  const add = async ({ id }: Person, more: Partial<Passkey> = {}) => passkeys.create(newPasskey(id, more), by());

  test("a passkey is found by its credential, and listed by its person, oldest first", async () => {
    const [ada, bob] = [await active(), await active()];
    const second = await add(ada, { createdAt: 12 });
    const first = await add(ada, { createdAt: 11, transports: [] });
    await add(bob);
    assert.deepEqual(await passkeys.listOf(ada.id), [first, second]);
    assert.deepEqual(await passkeys.findByCredential(first.credential), first);
    assert.equal(await passkeys.findByCredential("AQID"), undefined);
  });

  test("a challenge is used up once, also by two at once", async () => {
    const ada = await active();
    const [one, other] = [newPasskey(ada.id), newPasskey(ada.id)];
    const tries = await Promise.allSettled([
      passkeys.create(one, by()),
      passkeys.create({ ...other, used: one.used }, by()),
    ]);
    assert.equal(tries.filter(({ status }) => status === "fulfilled").length, 1);
    const [stored] = await passkeys.listOf(ada.id);
    const used = challenge();
    const uses = await Promise.allSettled([1, 2, 3].map(() => passkeys.use(stored?.id ?? "", 0, used, 11)));
    assert.equal(uses.filter(({ status }) => status === "fulfilled").length, 1);
    await assert.rejects(passkeys.use(stored?.id ?? "", 0, one.used, 11), refused("sign_in_failed"));
    await assert.rejects(
      passkeys.create({ ...newPasskey(ada.id), used }, by(12)),
      refused("passkey_invalid"),
      "of another purpose",
    );
    await passkeys.use(stored?.id ?? "", 0, challenge(), 301);
    await passkeys.use(stored?.id ?? "", 0, used, 302);
  });

  test("a refused passkey uses nothing up", async () => {
    const ada = await active();
    const first = await add(ada);
    const taken = newPasskey(ada.id, { credential: first.credential });
    await assert.rejects(passkeys.create(taken, by()), refused("passkey_invalid"));
    await passkeys.create({ ...newPasskey(ada.id), used: taken.used }, by());
    await assert.rejects(passkeys.create(newPasskey(randomUUID()), by()), refused("person_not_found"));
    const invited = await invite();
    await assert.rejects(passkeys.create(newPasskey(invited.id), by()), refused("person_not_found"));
  });

  test("a use is stored, and a counter that is not above the one before is told", async () => {
    const { id, credential } = await add(await active(), { counter: 3 });
    const use = async (counter: number, at: number) => {
      await passkeys.use(id, counter, challenge(), at);
      const found = await passkeys.findByCredential(credential);
      return [found?.counter, found?.lastUsedAt, found?.counterBackAt];
    };
    assert.deepEqual(await use(4, 20), [4, 20, null]);
    assert.deepEqual(await use(4, 21), [4, 21, 21]);
    assert.deepEqual(await use(2, 22), [4, 22, 22]);
    assert.deepEqual(await use(2 ** 32 - 1, 23), [2 ** 32 - 1, 23, 22]);
  });

  test("who is disabled keeps passkeys and cannot use them, who is deleted has none", async () => {
    const ada = await active(null);
    assert.deepEqual([ada.state, ada.password], ["active", null]);
    const [{ id = "" } = {}] = await passkeys.listOf(ada.id);
    await people.update(ada.id, { state: "disabled" }, by());
    await assert.rejects(passkeys.use(id, 0, challenge(), 11), refused("sign_in_failed"));
    assert.equal((await people.update(ada.id, { state: "active" }, by())).state, "active", "has a credential");
    await passkeys.use(id, 0, challenge(), 11);
    await people.delete(ada.id, by());
    assert.deepEqual(await passkeys.listOf(ada.id), []);
    await assert.rejects(passkeys.use(id, 0, challenge(), 11), refused("sign_in_failed"));
  });

  test("a link takes a passkey in place of the password; those from before stay", async () => {
    const ada = await active();
    const before = await add(ada);
    const made = newPasskey(ada.id);
    const hashOfLink = await linkOf(ada);
    await assert.rejects(
      people.join(hashOfLink, { password: null, passkey: { ...made, used: (await usedUp(ada)).used } }, by()),
      refused("passkey_invalid"),
    );
    assert.equal((await people.get(ada.id)).password, hash, "nothing of a refused one is stored");
    const joined = await people.join(hashOfLink, { password: null, passkey: made }, by());
    assert.deepEqual([joined.name, joined.password, joined.state], ["Ada", null, "active"]);
    const names = (await passkeys.listOf(ada.id)).map(({ id }) => id);
    assert.ok(names.includes(before.id) && names.includes(made.passkey.id));
  });

  async function usedUp({ id }: Person): Promise<NewPasskey> {
    const made = newPasskey(id);
    await passkeys.create(made, by());
    return made;
  }

  test("an owner is made with a passkey, or not at all", async () => {
    const id = randomUUID();
    const person = newPerson({ name: "Olga", email: `${id}@example.org`, role: "owner" }, { id, nowSeconds: 10 });
    const owner: Person = { ...person, state: "active" };
    const ada = await active();
    const taken = newPasskey(id, { credential: (await add(ada)).credential });
    await assert.rejects(people.create(owner, taken, by()), refused("passkey_invalid"));
    await assert.rejects(people.get(id), refused("person_not_found"));
    await people.create(owner, newPasskey(id), by());
    assert.equal((await passkeys.listOf(id)).length, 1);
  });

  test("a passkey is deleted by its person, and not the last way to sign in", async () => {
    const [ada, bob] = [await active(null), await active()];
    const [{ id = "" } = {}] = await passkeys.listOf(ada.id);
    await assert.rejects(passkeys.delete(id, bob.id, by()), refused("passkey_not_found"));
    await assert.rejects(passkeys.delete(id, ada.id, by()), refused("last_credential"));
    const second = await add(ada);
    const tries = await Promise.allSettled([
      passkeys.delete(id, ada.id, by()),
      passkeys.delete(second.id, ada.id, by()),
    ]);
    assert.equal(tries.filter(({ status }) => status === "fulfilled").length, 1, "one of two at once");
    const only = await add(bob);
    await passkeys.delete(only.id, bob.id, by());
    await assert.rejects(passkeys.delete(only.id, bob.id, by()), refused("passkey_not_found"));
  });

  test("a person has a bounded number of passkeys", async () => {
    const ada = await active();
    for (let made = 0; made < maxPasskeys; made++) await add(ada);
    await assert.rejects(add(ada), refused("too_many_passkeys"));
  });

  test("adding and removing are an event each, using is none; verify finds them sound", async () => {
    const ada = await active();
    const since = (await events.bounds()).newest;
    const context = { actor: personActor(ada.id), nowSeconds: 12 };
    const { id } = await passkeys.create(newPasskey(ada.id), context);
    await passkeys.use(id, 0, challenge(), 12);
    await passkeys.delete(id, ada.id, context);
    assert.deepEqual(
      (await events.list(since, 10)).map(({ kind, subject, actor }) => [kind, subject, actor]),
      [
        ["passkey.create", id, personActor(ada.id)],
        ["passkey.delete", id, personActor(ada.id)],
      ],
    );
    assert.deepEqual(await store.verify(), []);
  });
});
