import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { personActor } from "../../src/core/access/actor.ts";
import type { Slug } from "../../src/core/path.ts";
import { Problem } from "../../src/core/problem.ts";
import {
  holderOf,
  newLink,
  newPerson,
  type Person,
  type PersonChange,
  type PersonStore,
} from "../../src/people/person.ts";
import { newRole } from "../../src/people/role.ts";
import { onEachEngine } from "./engines.ts";

/** The contract of every store of people and roles. */

const refused = (code: string) => (error: unknown) => error instanceof Problem && error.code === code;
const by = (nowSeconds = 10) => ({ actor: "test", nowSeconds });
const hash = `$argon2id$v=19$m=19456,t=2,p=1$${"A".repeat(22)}$${"B".repeat(43)}`;
const joining = { name: "Ada", password: hash };

onEachEngine(async (store) => {
  const { people, roles, sessions, events } = store.ports;

  const invite = (role = "viewer", email = `${randomUUID()}@example.org`): Promise<Person> =>
    people.create(newPerson({ email, role }, { id: randomUUID(), nowSeconds: 10 }), undefined, by());
  const linkOf = async (person: Person, nowSeconds = 10): Promise<string> => {
    const { link } = newLink(person, { nowSeconds: nowSeconds, actor: "test" });
    await people.link(person.id, link, by(nowSeconds));
    return link.hash;
  };
  const active = async (role = "viewer"): Promise<Person> =>
    people.join(await linkOf(await invite(role)), joining, by());
  const start = ({ id }: Person, password?: string) => {
    const times = { createdAt: 10, lastSeenAt: 10, expiresAt: 1000 };
    return sessions.start({ id: randomUUID(), actor: personActor(id), accessTokenId: "", ...times }, 5, password);
  };
  const rightsOf = async ({ id }: Person) => {
    const member = await people.findMember(id);
    const holder = member && holderOf(member);
    return holder && [holder.writes, holder.resources.length, holder.paths];
  };

  test("the last active owner stays, whatever is tried, until there is another one", async () => {
    assert.equal(await people.hasOwner(), false);
    const owner = await active("owner");
    assert.equal(await people.hasOwner(), true);
    await invite("owner");
    const disabled = await active("owner");
    await people.update(disabled.id, { state: "disabled" }, by());
    const changes: PersonChange[] = [{ role: "editor" }, { state: "disabled" }];
    for (const change of changes)
      await assert.rejects(people.update(owner.id, change, by()), refused("last_owner"), JSON.stringify(change));
    await assert.rejects(people.delete(owner.id, by()), refused("last_owner"));
    await people.update(owner.id, { name: "Still", state: "active", role: "owner" }, by());
    const other = await active("owner");
    const tries = await Promise.allSettled([
      people.update(owner.id, { role: "editor" }, by()),
      people.delete(other.id, by()),
    ]);
    assert.equal(tries.filter(({ status }) => status === "fulfilled").length, 1, "one of two at once");
    assert.equal(await people.hasOwner(), true);
  });

  test("a change of the person or of the role holds at once", async () => {
    const person = await invite();
    assert.equal(await rightsOf(person), undefined, "invited");
    const ada = await people.join(await linkOf(person), joining, by());
    assert.deepEqual(await rightsOf(ada), ["none", 3, null]);
    await roles.put(newRole({ id: "part", resources: ["entries"], paths: ["a"], writes: "staged" }), by());
    await people.update(ada.id, { role: "part" }, by());
    assert.deepEqual(await rightsOf(ada), ["staged", 1, ["a"]]);
    await roles.put(newRole({ id: "part", resources: ["entries"], writes: "staged", locales: ["de", "fr"] }), by());
    const member = await people.findMember(ada.id);
    assert.deepEqual(member && holderOf(member)?.locales, ["de", "fr"]);
    await roles.put(newRole({ id: "part", resources: ["entries", "files"], writes: "all" }), by());
    assert.equal((await roles.list()).find(({ id }) => id === "part")?.locales, null);
    assert.deepEqual(await rightsOf(ada), ["all", 2, null]);
    await assert.rejects(roles.delete("part", by()), refused("role_in_use"));
    await people.delete(ada.id, by());
    assert.equal(await rightsOf(ada), undefined);
    await roles.delete("part", by());
    await assert.rejects(roles.delete("part", by()), refused("role_not_found"));
    await assert.rejects(people.create({ ...ada, id: randomUUID(), role: "part" }, undefined, by()), {
      code: "role_not_found",
    });
  });

  test("disabling, deleting, a reset and a new password end the sessions; a new password spares one", async () => {
    const ends: [how: string, end: (person: Person, kept: string) => Promise<unknown>, kept: boolean][] = [
      ["disabled", ({ id }) => people.update(id, { state: "disabled" }, by()), false],
      ["deleted", ({ id }) => people.delete(id, by()), false],
      ["reset", async (person) => people.join(await linkOf(person), { password: `${hash}x` }, by()), false],
      [
        "password",
        ({ id }, session) => people.update(id, { password: { from: hash, to: `${hash}y`, session } }, by()),
        true,
      ],
    ];
    for (const [how, end, isKept] of ends) {
      const person = await active();
      const [one, two] = [await start(person), await start(person)];
      assert.ok((await sessions.find(one.id, 11)) && (await sessions.find(two.id, 11)));
      assert.equal((await sessions.listOf(personActor(person.id), 11)).length, 2);
      await end(person, two.id);
      assert.equal(await sessions.find(one.id, 11), undefined, how);
      assert.equal((await sessions.find(two.id, 11)) !== undefined, isKept, how);
    }
    await assert.rejects(start(await invite()), refused("sign_in_failed"));
    await start(await active(), hash);
    await assert.rejects(start(await active(), `${hash}x`), refused("sign_in_failed"), "changed since it was verified");
    const person = await active();
    const stale = { password: { from: "other", to: hash, session: "" } };
    await assert.rejects(people.update(person.id, stale, by()), refused("sign_in_failed"));
  });

  test("a subject is one person's, also of two at once; another one ends the sessions, the same one nothing", async () => {
    const identity = { issuer: "https://id.example.org", subject: randomUUID() };
    const [one, two] = [await active(), await active()];
    const bound = await Promise.allSettled([one, two].map(({ id }) => people.update(id, { identity }, by())));
    const [lost] = bound.filter(({ status }) => status === "rejected") as PromiseRejectedResult[];
    assert.equal(lost?.reason.code, "subject_taken");
    const ada = bound[0]?.status === "fulfilled" ? one : two;
    const { id: session } = await start(ada);
    const hash = await linkOf(ada);
    await people.enter({ identity, emailKey: undefined, name: "", roles: ["editor"] }, by());
    const isIn = async () => (await sessions.find(session, 11)) !== undefined;
    const again = await people.update(ada.id, { identity }, by());
    assert.deepEqual([again.identity?.isRoleClaimed, again.role], [true, "editor"]);
    assert.ok((await isIn()) && (await people.findByLink(hash, 11)), "the same one");
    const other = await people.update(ada.id, { identity: { ...identity, issuer: "https://other.example.org" } }, by());
    assert.deepEqual([other.identity?.isRoleClaimed, other.password], [false, ada.password]);
    assert.ok(!(await isIn()) && !(await people.findByLink(hash, 11)), "another one");
    await assert.rejects(people.enter({ identity, emailKey: undefined, name: "", roles: undefined }, by()), {
      code: "sign_in_failed",
    });
  });

  test("who is bound no more does not come in, has no session and no link; nothing changes for who was not", async () => {
    const identity = { issuer: "https://id.example.org", subject: randomUUID() };
    const person = await active();
    await people.update(person.id, { identity }, by());
    const { id: session } = await start(person);
    const hash = await linkOf(person);
    const left = await people.update(person.id, { identity: null }, by());
    assert.deepEqual([left.identity, left.state, left.password], [null, "active", person.password]);
    assert.equal(await sessions.find(session, 11), undefined);
    assert.equal(await people.findByLink(hash, 11), undefined);
    const asserted = { identity, emailKey: person.email, name: "", roles: undefined };
    await assert.rejects(people.enter(asserted, by()), refused("sign_in_failed"));
    const { id: other } = await start(person);
    await people.update(person.id, { identity: null }, by());
    assert.ok(await sessions.find(other, 11), "bound to none before");
    const bare = await invite();
    await people.update(bare.id, { identity, role: "owner" }, by());
    assert.equal((await people.update(bare.id, { identity: null, state: "disabled" }, by())).state, "disabled");
    assert.equal((await people.update(bare.id, { identity: null, state: "active" }, by())).state, "invited");
    const last = await people.update(bare.id, { identity }, by());
    const isOther = ({ id, role, state }: Person) => id !== last.id && role === "owner" && state === "active";
    for (const { id } of (await people.list(1000)).filter(isOther)) await people.update(id, { role: "editor" }, by());
    await assert.rejects(people.update(last.id, { identity: null }, by()), refused("last_owner"));
  });

  test("a link is used once, in its time, and a newer one takes its place", async () => {
    const person = await invite();
    const [old, link] = [await linkOf(person), await linkOf(person)];
    assert.equal(await people.findByLink(old, 10), undefined);
    assert.equal((await people.findByLink(link, 10))?.id, person.id);
    const week = 7 * 24 * 3600;
    assert.ok(await people.findByLink(link, 10 + week - 1));
    assert.equal(await people.findByLink(link, 10 + week), undefined);
    await assert.rejects(people.join(link, joining, by(10 + week)), refused("sign_in_link_invalid"));
    const uses = await Promise.allSettled([people.join(link, joining, by()), people.join(link, joining, by())]);
    assert.equal(uses.filter(({ status }) => status === "fulfilled").length, 1);
    const reset = await linkOf(await people.get(person.id));
    assert.ok(await people.findByLink(reset, 10 + 24 * 3600 - 1));
    assert.equal(await people.findByLink(reset, 10 + 24 * 3600), undefined);
    await people.update(person.id, { state: "disabled" }, by());
    await people.update(person.id, { state: "active" }, by());
    assert.equal(await people.findByLink(reset, 10), undefined, "disabling ended it");
  });

  test("addresses are unique without case, also of two at once; who is deleted leaves the name only", async () => {
    const made = await Promise.allSettled([
      invite("viewer", "Éva@example.org"),
      invite("viewer", "e\u0301VA@Example.org"),
    ]);
    assert.equal(made.filter(({ status }) => status === "fulfilled").length, 1);
    const eva = (await people.findByEmail("ÉVA@EXAMPLE.ORG")) as Person;
    await people.update(eva.id, { name: "Éva" }, by());
    await people.delete(eva.id, by());
    await assert.rejects(people.get(eva.id), refused("person_not_found"));
    await assert.rejects(people.delete(eva.id, by()), refused("person_not_found"));
    assert.equal(await people.findByEmail("éva@example.org"), undefined);
    const names = await people.namesOf([personActor(eva.id), "octavo", personActor("nobody")]);
    assert.deepEqual([...names], [[personActor(eva.id), "Éva"]]);
    const member = await people.findMember(eva.id);
    assert.deepEqual([member?.person.email, member?.person.password, member?.person.state], ["", null, "deleted"]);
    await invite("viewer", "éva@example.org");
  });

  test("each write is one event, whose actor may be a person", async () => {
    const since = (await events.bounds()).newest;
    const person = await invite();
    const ada = await people.join(await linkOf(person), joining, by());
    await people.update(ada.id, { name: "A" }, { actor: personActor(ada.id), nowSeconds: 12 });
    await people.delete(ada.id, by());
    const rows = await events.list(since, 10);
    assert.deepEqual(
      rows.map(({ kind, subject, actor }) => [kind, subject, actor]),
      [
        ["person.create", person.id, "test"],
        ["person.link", person.id, "test"],
        ["person.join", person.id, personActor(person.id)],
        ["person.update", person.id, personActor(person.id)],
        ["person.delete", person.id, "test"],
      ],
    );
  });

  test("people and roles are found sound by verify, and a hash is replaced only where it is still the old one", async () => {
    const ada = await active();
    await people.rehash(ada.id, { from: "other", to: `${hash}z` });
    assert.equal((await people.get(ada.id)).password, hash);
    assert.deepEqual(await store.verify(), []);
  });

  test("who has an entry open is there for ten seconds after the last note, and while the session lives", async () => {
    const { presence } = store.ports;
    const [ada, bob] = [await active(), await active()];
    const [mine, other, third] = [await start(ada), await start(bob), await start(bob)];
    const slug = "open/a" as Slug;
    const seen = (nowSeconds: number) => presence.note({ slug, session: mine.id, nowSeconds });
    await presence.note({ slug, session: other.id, nowSeconds: 100 });
    await presence.note({ slug, session: third.id, nowSeconds: 104 });
    await presence.note({ slug: "open/b" as Slug, session: (await start(await active())).id, nowSeconds: 104 });
    assert.deepEqual(await seen(104), [personActor(bob.id)], "each actor once");
    await sessions.end(third.id, by(105));
    assert.deepEqual(await seen(110), [personActor(bob.id)]);
    assert.deepEqual(await seen(111), []);
    await presence.note({ slug, session: other.id, nowSeconds: 112 });
    assert.deepEqual(await seen(112), [personActor(bob.id)]);
    await people.update(bob.id, { state: "disabled" }, by(113));
    assert.deepEqual(await seen(113), []);
  });

  test("the list has pages in the order of the invitations", async () => {
    const all = await everybody(people);
    assert.ok(all.length > 5);
    const found: Person[] = [];
    for (let page = await people.list(2); page.length > 0; page = await people.list(2, page.at(-1)))
      found.push(...page);
    assert.deepEqual(found, all);
  });
});

const everybody = (people: PersonStore): Promise<Person[]> => people.list(1000);
