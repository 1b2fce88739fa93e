import assert from "node:assert/strict";
import { test } from "node:test";
import { accessOf } from "../../src/core/access/access.ts";
import type { WriteContext } from "../../src/core/event.ts";
import { wholeText } from "../../src/core/lib/long-text.ts";
import { parseCollection } from "../../src/core/list/list.ts";
import type { Slug } from "../../src/core/path.ts";
import type { SqlStore } from "../../src/database.ts";
import { newRelease } from "../../src/working-copy/release.ts";
import { orLong } from "../long.ts";
import { onEachEngine } from "../ports/engines.ts";
import { type Random, random, seed } from "../random.ts";
import { codeOf } from "./code-of.ts";

/** Random staging, releases, publications and undos agree with a plain model. Contract, part three, §21. */

const steps = orLong(200, 4000);
const names = Array.from("abcdefgh", (letter) => `e/${letter}`);
const maxOpen = 4;

type Content = { n: number; m: number; isDraft: boolean };
type Copy = { n?: number; m?: number; release: string | undefined };
type Item = { live: Content; version: number; copy: Copy | undefined; isGone: boolean };
type Published = { item: Item; version: number; before: Content; copy: Copy };
type Campaign = { state: string; published: Published[] };

/** What is expected: the code of a refusal, or a change of the model. */
class Model {
  readonly items = new Map<string, Item>();
  readonly campaigns = new Map<string, Campaign>();
  private versions = 0;

  private existing(name: string): Item {
    const item = this.items.get(name);
    if (!item || item.isGone) throw "entry_not_found";
    return item;
  }
  private campaign(id: string): Campaign {
    const found = this.campaigns.get(id);
    if (!found) throw "release_not_found";
    return found;
  }
  members(id: string): [string, Item][] {
    return [...this.items].filter(([, { copy, isGone }]) => copy?.release === id && !isGone).sort();
  }
  private copies(id: string): Copy[] {
    return [...this.items.values()].flatMap(({ copy }) => (copy?.release === id ? [copy] : []));
  }
  private refuseFrozen({ copy }: Item): void {
    if (copy?.release && this.campaigns.get(copy.release)?.state === "scheduled") throw "publish_scheduled";
  }
  private refuseFixed(id: string): Campaign {
    const found = this.campaign(id);
    if (found.state === "published") throw "release_published";
    if (found.state === "scheduled") throw "publish_scheduled";
    return found;
  }
  create(name: string, live: Content, release?: string): void {
    if (this.items.get(name)?.isGone === false) throw "entry_exists";
    if (release) this.refuseFixed(release);
    this.items.set(name, { live, version: ++this.versions, copy: release ? { release } : undefined, isGone: false });
  }
  update(name: string, n: number): void {
    const item = this.existing(name);
    item.live = { ...item.live, n };
    item.version = ++this.versions;
  }
  stage(name: string, change: { n?: number; m?: number }, release: string | null | undefined): void {
    const item = this.existing(name);
    this.refuseFrozen(item);
    const isMoved = release !== undefined && Object.keys(change).length === 0;
    if (isMoved && !item.copy && (release === null || !item.live.isDraft)) throw "nothing_staged";
    const before = item.copy?.release;
    if (release && release !== before) {
      this.refuseFixed(release);
      if (before) throw "in_release";
    }
    item.copy = { ...item.copy, ...change, release: release === undefined ? before : (release ?? undefined) };
  }
  discard(name: string): void {
    const item = this.existing(name);
    if (!item.copy) throw "nothing_staged";
    this.refuseFrozen(item);
    item.copy = undefined;
  }
  private apply(item: Item): void {
    const { release: _, ...change } = item.copy ?? { release: undefined };
    item.live = { ...item.live, ...change, isDraft: false };
    item.version = ++this.versions;
    item.copy = undefined;
  }
  publishOne(name: string): void {
    const item = this.existing(name);
    this.refuseFrozen(item);
    if (item.copy?.release) throw "in_release";
    if (!item.copy && !item.live.isDraft) throw "nothing_staged";
    this.apply(item);
  }
  toTrash(name: string): void {
    this.existing(name).isGone = true;
  }
  publish(id: string, at?: "later" | null): void {
    if (at === null) {
      const found = this.campaign(id);
      if (found.state === "published") throw "release_published";
      if (found.state === "scheduled") found.state = "open";
      return;
    }
    const found = this.refuseFixed(id);
    if (this.members(id).length === 0) throw "nothing_staged";
    if (at === "later") found.state = "scheduled";
    else this.goLive(id, found);
  }
  private goLive(id: string, found: Campaign): void {
    found.published = this.members(id).map(([, item]) => {
      const [before, copy] = [item.live, item.copy as Copy];
      this.apply(item);
      return { item, version: item.version, before, copy };
    });
    for (const copy of this.copies(id)) copy.release = undefined;
    found.state = "published";
  }
  due(): void {
    for (const [id, found] of this.campaigns) {
      if (found.state !== "scheduled") continue;
      if (this.members(id).length > 0) this.goLive(id, found);
      else found.state = "failed";
    }
  }
  undo(id: string): void {
    const found = this.campaign(id);
    if (found.state !== "published") throw "release_not_published";
    const isChanged = ({ item, version }: Published) => item.isGone || item.version !== version || item.copy;
    if (found.published.some(isChanged)) throw "release_changed";
    for (const { item, before, copy } of found.published) {
      item.live = before;
      item.version = ++this.versions;
      item.copy = { ...copy, release: id };
    }
    this.campaigns.set(id, { state: "open", published: [] });
  }
  remove(id: string): void {
    if (this.campaign(id).state === "scheduled") throw "publish_scheduled";
    for (const copy of this.copies(id)) copy.release = undefined;
    this.campaigns.delete(id);
  }
}

onEachEngine(async (store) => {
  test(`${steps} random steps`, async () => {
    const pick = random(seed);
    const model = new Model();
    await rareSteps(store, model);
    for (let step = 0; step < steps; step++) {
      const said = `seed ${seed}, step ${step}`;
      const what = await act(store, model, pick, step, said);
      if (step % 10 === 9) await compare(store, model, `${said}: ${what}`);
    }
    assert.deepEqual(await store.verify(), []);
  });
});

/** Does both, which must end the same; returns how. */
async function both(expected: () => void, write: () => Promise<unknown>, said: string): Promise<string> {
  const code = await codeOf(expected);
  assert.equal(await codeOf(write), code, said);
  return code;
}

const everywhere = { paths: null };
const data = (sent: object) => ({ data: JSON.stringify(sent), isMergePatch: false, fields: {} });

async function openRelease(store: SqlStore, model: Model, id: string, by: WriteContext): Promise<void> {
  model.campaigns.set(id, { state: "open", published: [] });
  await store.releases.create(newRelease(id, { ...by, id }), by);
}

/** What drawn steps may never come to happens once before them. */
async function rareSteps(store: SqlStore, model: Model): Promise<void> {
  const { entries, staged, releases } = store;
  const by = { actor: "test", nowSeconds: 999 };
  const name = "e/a";
  const slug = name as Slug;
  await openRelease(store, model, "first", by);
  await openRelease(store, model, "other", by);
  const stage = (n: number, release?: string): [() => void, () => Promise<unknown>] => [
    () => model.stage(name, { n }, release),
    () => staged.stage(slug, { ...data({ n }), release }, by),
  ];
  const undo: [() => void, () => Promise<unknown>] = [
    () => model.undo("first"),
    () => releases.undo("first", everywhere, by),
  ];
  const steps: [string, () => void, () => Promise<unknown>][] = [
    [
      "ok",
      () => model.create(name, { n: 0, m: 0, isDraft: false }),
      () => entries.create(slug, data({ n: 0, m: 0 }), by),
    ],
    ["ok", ...stage(1, "first")],
    ["in_release", ...stage(2, "other")],
    ["ok", () => model.publish("first"), () => releases.publish("first", everywhere, by)],
    ["ok", ...undo],
    [
      "ok",
      () => model.publish("first", "later"),
      () => releases.publish("first", { ...everywhere, atSeconds: 1e6 }, by),
    ],
    ["publish_scheduled", ...stage(3)],
    ["ok", () => model.due(), () => releases.publishDue(2e6)],
    ["ok", () => model.update(name, 4), () => entries.update(slug, data({ n: 4 }), by)],
    ["release_changed", ...undo],
  ];
  for (const [i, [code, expected, write]] of steps.entries()) {
    assert.equal(await both(expected, write, `rare step ${i}`), code, `rare step ${i}`);
    await compare(store, model, `rare step ${i}`);
  }
}

/** Does the same to both; returns what it was. */
async function act(store: SqlStore, model: Model, pick: Random, step: number, said: string): Promise<string> {
  const { entries, staged, releases, trash } = store;
  const by = { actor: "test", nowSeconds: 1000 + step };
  const name = names[pick(names.length)] as string;
  const slug = name as Slug;
  const ids = [...model.campaigns.keys()];
  const id = ids[pick(ids.length)] ?? "none";
  /** The one that was published just now is most likely to be undone. */
  const last = ids.findLast((each) => model.campaigns.get(each)?.state === "published") ?? id;
  const value = pick(1000);
  const input = (data: object, isDraft = false) => ({
    ...{ data: JSON.stringify(data), isMergePatch: false },
    fields: isDraft ? { visibility: "draft" as const } : {},
  });
  const change = [{ n: value }, { m: value }, {}][pick(3)] as { n?: number; m?: number };
  const release = [id, id, id, null, undefined][pick(5)];
  const isDraft = pick(2) === 0;
  const live = { n: value, m: 0, isDraft };
  const actions: [string, () => void, () => Promise<unknown>][] = [
    ["create", () => model.create(name, live), () => entries.create(slug, input({ n: value, m: 0 }, isDraft), by)],
    [
      "draft",
      () => model.create(name, { ...live, isDraft: true }, id),
      () => staged.createDraft(slug, input({ n: value, m: 0 }, true), id, by),
    ],
    ["update", () => model.update(name, value), () => entries.update(slug, input({ n: value }), by)],
    ...Array.from({ length: 5 }, (): (typeof actions)[number] => [
      "stage",
      () => model.stage(name, change, release),
      () => staged.stage(slug, { ...input(change), release }, by),
    ]),
    ["discard", () => model.discard(name), () => staged.discard(slug, {}, by)],
    ["publish one", () => model.publishOne(name), () => staged.publish(slug, {}, by)],
    ["publish", () => model.publish(id), () => releases.publish(id, everywhere, by)],
    ["publish", () => model.publish(id), () => releases.publish(id, everywhere, by)],
    [
      "schedule",
      () => model.publish(id, "later"),
      () => releases.publish(id, { ...everywhere, atSeconds: 1e6 + step }, by),
    ],
    ["unschedule", () => model.publish(id, null), () => releases.publish(id, { ...everywhere, atSeconds: null }, by)],
    ["due", () => model.due(), () => releases.publishDue(2e6)],
    ["undo", () => model.undo(last), () => releases.undo(last, everywhere, by)],
    ["undo", () => model.undo(last), () => releases.undo(last, everywhere, by)],
    ["remove", () => model.remove(id), () => releases.delete(id, everywhere, by)],
  ];
  if (ids.length < maxOpen && pick(4) === 0) {
    await openRelease(store, model, `r-${step}`, by);
    return "release";
  }
  if (pick(15) === 0) {
    const item = model.items.get(name);
    if (!item) return "trash";
    if (!item.isGone) {
      model.toTrash(name);
      await entries.delete(slug, { to: "trash" }, by);
      return "trash";
    }
    const found = await trash.list({ nouns: ["entry"], paths: [slug], before: undefined, limit: 1 });
    item.isGone = false;
    await trash.restore(found[0]?.id ?? 0, { newPath: undefined, extensions: [] }, by);
    return "untrash";
  }
  const [what, expected, write] = actions[pick(actions.length)] as (typeof actions)[number];
  await both(expected, write, said);
  return what;
}

async function compare(store: SqlStore, model: Model, said: string): Promise<void> {
  const { entries, staged, releases } = store;
  for (const [name, { live, copy, isGone }] of model.items) {
    if (isGone) continue;
    const [entry, view] = [await entries.find(name as Slug), await staged.find(name as Slug)];
    const { n, m } = JSON.parse(entry?.data ?? "{}");
    assert.deepEqual({ n, m, isDraft: entry?.visibility === "draft" }, live, `${said}, ${name}`);
    const { release, ...change } = copy ?? { release: undefined };
    const laid = JSON.parse(view?.entry.data ?? "{}");
    const expected = { n: live.n, m: live.m, ...change };
    assert.deepEqual({ n: laid.n, m: laid.m }, { n: expected.n, m: expected.m }, `${said}, the copy of ${name}`);
    const found = view?.copy && (view.copy.release ?? undefined);
    assert.deepEqual([view?.copy !== undefined, found], [copy !== undefined, release], `${said}, the copy of ${name}`);
  }
  for (const [id, { state, published }] of model.campaigns) {
    const found = await releases.get(id, { paths: null });
    const members = model.members(id);
    const count = state === "published" ? published.length : members.length;
    assert.deepEqual([found.state, found.count], [state, count], `${said}, ${id}`);
    const seen = [...model.items].flatMap(([name, { live, copy, isGone }]) => {
      const isIn = copy?.release === id;
      if (isGone || (live.isDraft && !isIn)) return [];
      const { n, m } = { ...live, ...(isIn && copy) };
      return [`${name} ${n} ${m}`];
    });
    const query = parseCollection("e" as Slug, new Map(), { maxLimit: 99, defaultLimit: 99 });
    // Where nothing is seen, there is no path.
    const list = entries.list(query, accessOf({ kind: "preview", release: id }, 1e9)).catch(() => undefined);
    const json = (await list)?.json;
    const listed = (JSON.parse(json ? wholeText(json) : "[]") as { slug: string; n: number; m: number }[]).map(
      ({ slug, n, m }) => `${slug} ${n} ${m}`,
    );
    assert.deepEqual(listed.toSorted(), seen.toSorted(), `${said}, seen through ${id}`);
  }
}
