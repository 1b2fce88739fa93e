import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { sqliteOptions } from "../../test/ports/sqlite-options.ts";
import { openSqliteStore } from "../database.ts";
import { hashPassword, isOutdated } from "./password.ts";
import { newPerson, type Person } from "./person.ts";
import { changeOwn, type OwnChange, personWith, refuseWrongPassword } from "./sign-in.ts";

/** The credential again, and the renewal of old hashes. Contract, part three, §19. */

const store = await openSqliteStore(sqliteOptions());
test.after(() => store.close());
const { people } = store.ports;
const password = "a quiet harbour at noon";
const hash = await hashPassword(password);

async function active(more: Partial<Person> = {}): Promise<Person> {
  const facts = { id: randomUUID(), nowSeconds: 1000 };
  const person = newPerson({ name: "Ada", email: `${facts.id}@example.org`, role: "viewer" }, facts);
  const context = { actor: "test", nowSeconds: 1000 };
  return people.create({ ...person, state: "active", password: hash, ...more }, undefined, context);
}

/** A change in a session that began at 1000. */
async function change(
  person: Person,
  wanted: OwnChange,
  nowSeconds: number,
  currentPassword?: string,
): Promise<Person> {
  if (currentPassword !== undefined) await refuseWrongPassword(person, currentPassword);
  const isProven = currentPassword !== undefined;
  return changeOwn(people, person, wanted, { session: "s", signedInAt: 1000, isProven, nowSeconds });
}

test("an address is changed within ten minutes of signing in, later with the current password", async () => {
  const ada = await active();
  const email = () => ({ email: `${randomUUID()}@example.org` });
  await change(await people.get(ada.id), email(), 1600);
  await assert.rejects(change(await people.get(ada.id), email(), 1601), { code: "sign_in_again" });
  await assert.rejects(change(await people.get(ada.id), email(), 1601, "wrong"), { code: "sign_in_failed" });
  await change(await people.get(ada.id), email(), 99_999, password);
  const { email: same } = await people.get(ada.id);
  assert.equal(
    (await change(await people.get(ada.id), { email: same, name: "A" }, 99_999)).name,
    "A",
    "a name at any time",
  );
});

test("what is not sent stays as another change has left it meanwhile", async () => {
  const ada = await active();
  const email = `${randomUUID()}@example.org`;
  await people.update(ada.id, { name: "Ada Lovelace", email }, { actor: "test", nowSeconds: 1000 });
  await change(ada, { preferences: '{"a":1}' }, 1001);
  await change(ada, { name: "Ada L." }, 1001);
  await change(ada, { password: "a louder harbour at noon" }, 1001, password);
  const changed = await people.get(ada.id);
  assert.deepEqual([changed.name, changed.email], ["Ada L.", email]);
});

test("a password is changed with the current one; past ten minutes without it one signs in again", async () => {
  const ada = await active();
  const wanted = { password: "a louder harbour at noon" };
  await assert.rejects(change(ada, wanted, 1001), { code: "argument_missing" });
  await assert.rejects(change(ada, wanted, 1601), { code: "sign_in_again" });
  await assert.rejects(change(ada, wanted, 1001, "wrong"), { code: "sign_in_failed" });
  await change(ada, wanted, 5000, password);
  assert.equal((await personWith(people, ada.email, wanted.password)).id, ada.id);
  await assert.rejects(personWith(people, ada.email, password), { code: "sign_in_failed" });
  const none = await active({ password: null });
  await change(none, wanted, 1001);
  assert.equal((await personWith(people, none.email, wanted.password)).id, none.id);
});

test("signing in renews a hash of other parameters", async () => {
  const old = `$argon2id$v=19$m=64,t=3,p=1$${Buffer.alloc(16, 1).toString("base64").replaceAll("=", "")}$`;
  const { argon2Sync } = await import("node:crypto");
  const parameters = { message: password, nonce: Buffer.alloc(16, 1), memory: 64, passes: 3, parallelism: 1 };
  const tag = argon2Sync("argon2id", { ...parameters, tagLength: 32 })
    .toString("base64")
    .replaceAll("=", "");
  const ada = await active({ password: old + tag });
  await personWith(people, ada.email, password);
  const { password: renewed } = await people.get(ada.id);
  assert.ok(renewed && renewed !== old + tag && !isOutdated(renewed));
  await personWith(people, ada.email, password);
  assert.equal((await people.get(ada.id)).password, renewed);
});
