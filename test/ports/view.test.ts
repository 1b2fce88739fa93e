import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import type { Path } from "../../src/core/path.ts";
import { Problem } from "../../src/core/problem.ts";
import { newPerson, type Person } from "../../src/people/person.ts";
import { maxSharedViews, maxViews, newView, type View } from "../../src/view/view.ts";
import { onEachEngine } from "./engines.ts";

/** The contract of every store of views, and of the preferences of people. */

const refused = (code: string) => (error: unknown) => error instanceof Problem && error.code === code;
const by = (actor = "test") => ({ actor, nowSeconds: 10 });

onEachEngine(async (store) => {
  const { views, people, events } = store.ports;

  const invite = (): Promise<Person> => {
    const form = { email: `${randomUUID()}@example.org`, role: "viewer" };
    return people.create(newPerson(form, { id: randomUUID(), nowSeconds: 10 }), undefined, by());
  };
  const viewOf = (person: string, more: Partial<Parameters<typeof newView>[0]> = {}): View =>
    newView({ title: "Late", path: "a" as Path, ...more }, { id: randomUUID(), person });
  const viewer = (person: string, isOwner = false) => ({ person, isOwner });

  test("a person sees the own views and shared ones, by title, each write with an event", async () => {
    const [ada, bob] = [await invite(), await invite()];
    const own = await views.create(viewOf(ada.id, { title: "B", columns: ["x", "y", "x"], sort: "-x" }), by());
    const shared = await views.create(viewOf(bob.id, { title: "A", shared: true }), by());
    await views.create(viewOf(bob.id), by());
    assert.deepEqual(await views.list(ada.id), [shared, own]);
    assert.deepEqual(own.columns, ["x", "y"]);
    assert.equal(own.filter, "{}");
    const [newest] = await events.listBefore(undefined, 1);
    assert.equal(newest?.kind, "view.put");
    await assert.rejects(views.create(viewOf(randomUUID()), by()), refused("person_not_found"));
    await views.delete(shared.id, viewer(bob.id), by());
    assert.deepEqual(
      (await events.listBefore(undefined, 1)).map(({ kind, subject }) => [kind, subject]),
      [["view.delete", shared.id]],
    );
  });

  test("only the maker changes a view, or an owner where it is shared; the maker stays", async () => {
    const [ada, bob] = [await invite(), await invite()];
    const kept = await views.create(viewOf(ada.id), by());
    const shared = await views.create(viewOf(ada.id, { shared: true }), by());
    const other = (view: View): View => ({ ...view, person: bob.id, title: "Other" });
    for (const isOwner of [false, true]) {
      await assert.rejects(views.put(other(kept), viewer(bob.id, isOwner), by()), refused("view_not_found"));
      await assert.rejects(views.delete(kept.id, viewer(bob.id, isOwner), by()), refused("view_not_found"));
    }
    await assert.rejects(views.put(other(shared), viewer(bob.id), by()), refused("view_not_own"));
    await assert.rejects(views.delete(shared.id, viewer(bob.id), by()), refused("view_not_own"));
    assert.deepEqual(await views.put(other(shared), viewer(bob.id, true), by()), { ...shared, title: "Other" });
    assert.equal((await views.put({ ...kept, isShared: true }, viewer(ada.id), by())).isShared, true);
    await views.delete(shared.id, viewer(bob.id, true), by());
    await assert.rejects(views.delete(shared.id, viewer(ada.id), by()), refused("view_not_found"));
  });

  test("views are bounded for a person and for all, and go with the person", async () => {
    const ada = await invite();
    for (let made = 0; made < maxViews; made++) await views.create(viewOf(ada.id, { shared: true }), by());
    await assert.rejects(views.create(viewOf(ada.id), by()), refused("too_many_views"));
    const all = await views.list((await invite()).id);
    const eve = [await invite(), await invite(), await invite(), await invite()];
    for (let made = all.length; made < maxSharedViews; made++)
      await views.create(viewOf(eve[made % 4]?.id ?? "", { shared: true }), by());
    const late = await invite();
    const own = await views.create(viewOf(late.id), by());
    await assert.rejects(views.create(viewOf(late.id, { shared: true }), by()), refused("too_many_views"));
    await assert.rejects(views.put({ ...own, isShared: true }, viewer(late.id), by()), refused("too_many_views"));
    for (const { id } of [ada, ...eve]) await people.delete(id, by());
    const gone = new Set([ada, ...eve].map(({ id }) => id));
    assert.deepEqual(
      (await views.list(late.id)).filter(({ person }) => gone.has(person)),
      [],
    );
  });

  test("preferences are merged by key in one write, bounded, and forgotten with the person", async () => {
    const ada = await invite();
    const keep = (patch: object) => people.update(ada.id, { preferences: JSON.stringify(patch) }, by());
    assert.equal(await people.preferencesOf(ada.id), "{}");
    await Promise.all([keep({ a: 1, b: { c: 1 } }), keep({ d: null, e: [1] })]);
    await keep({ b: { f: 2 }, a: null });
    assert.deepEqual(JSON.parse(await people.preferencesOf(ada.id)), { b: { f: 2 }, e: [1] });
    await assert.rejects(keep({ long: "x".repeat(16_384) }), refused("data_too_large"));
    await people.delete(ada.id, by());
    assert.equal(await people.preferencesOf(ada.id), "{}");
    assert.equal(await people.preferencesOf(randomUUID()), "{}");
  });
});
