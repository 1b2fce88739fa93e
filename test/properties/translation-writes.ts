import assert from "node:assert/strict";
import type { Slug } from "../../src/core/path.ts";
import type { SqlStore } from "../../src/database.ts";
import type { Entry, EntryInput } from "../../src/entry/entry.ts";
import type { Visibility } from "../../src/entry/field.ts";
import type { Random } from "../random.ts";
import { codeOf } from "./code-of.ts";
import { type Data, type Model, others, type State } from "./translation-model.ts";

/** The random writes of translation.test.ts, each to a store and to its model. */

export const releases = ["one", "two", "three"];
export const words = ["sun", "moon", "star", "sea", "tree", "stone"];
const slugs = ["p", "p/a", "p/b", "p/a/x", "q", "q/a", "q/b", "r"];
const names = ["na", "nb", "nc"];
const [past, future] = [500, 1e9];

export type Writing = {
  what: string;
  slug: string;
  locale: string;
  /** It is about what one entry says in one locale alone. */
  isOfOne: boolean;
  /** It never shows at once, whatever it is about. */
  isStaged?: boolean;
  expected: () => void;
  write: (store: SqlStore) => Promise<unknown>;
};

function textOf(change: Data): Pick<EntryInput, "data" | "isMergePatch"> {
  const isMergePatch = [...change.values()].includes(undefined);
  const members = [...change].map(([key, value]) => [key, value === undefined ? null : value]);
  return { data: JSON.stringify(Object.fromEntries(members)), isMergePatch };
}

function drawData(pick: Random, texts: readonly string[], isTyped: boolean, isTranslation: boolean): Data {
  const word = () => texts[pick(texts.length)] as string;
  const value = () => (pick(6) === 0 ? undefined : word());
  const all: [string, unknown][] = [
    ["title", value()],
    ["text", value()],
  ];
  if (!isTranslation || !isTyped || pick(12) === 0) all.push(["n", pick(4)]);
  return new Map(all.filter(() => pick(3) > 0));
}

/** One that is drawn at this second, of these texts. */
export function draw(model: Model, pick: Random, now: number, texts: readonly string[] = words): Writing {
  const by = { actor: "test", nowSeconds: now };
  const slug = slugs[pick(slugs.length)] as string;
  const to = slugs[pick(slugs.length)] as string;
  const [id, newSlug] = [slug as Slug, to as Slug];
  const item = model.find(slug);
  const other = others[pick(others.length)] as string;
  const any = pick(3) === 0 ? "" : other;
  const isTyped = item?.isTyped ?? pick(2) === 0;
  const visibility = (["visible", "visible", "hidden", "draft", undefined, undefined] as const)[pick(6)];
  const publishedAt = [undefined, undefined, undefined, past, future, now][pick(6)];
  const fields = { ...(visibility && { visibility }), ...(publishedAt && { publishedAt }) };
  const release = [releases[pick(3)], releases[pick(3)], null, undefined][pick(4)];
  const at = (locale: string) => ({ ...by, locale: locale || undefined });
  const of = (
    what: string,
    locale: string,
    expected: () => void,
    write: Writing["write"],
    isStaged = false,
  ): Writing => ({
    ...{ what: `${what} ${slug} "${locale}"`, slug, locale, isOfOne: true, isStaged, expected, write },
  });
  const wide = (what: string, expected: () => void, write: Writing["write"]): Writing => ({
    ...{ what, slug: "", locale: "", isOfOne: false, expected, write },
  });
  const create = () => {
    const data = new Map([...drawData(pick, texts, isTyped, false)].filter(([, value]) => value !== undefined));
    const typed = isTyped ? new Map([...data, ["fieldset", "doc"]]) : data;
    const state: State = {
      visibility: "visible",
      publishedAt: undefined,
      name: null,
      ...fields,
      data: new Map([...typed, ["content", ""]]),
    };
    const input = { ...textOf(typed), isMergePatch: false, fields };
    return wide(
      `create ${slug}`,
      () => model.create(slug, isTyped, state),
      ({ entries }) => entries.create(id, input, by),
    );
  };
  const update = () => {
    const data = drawData(pick, texts, isTyped, false);
    return of(
      "update",
      "",
      () => model.put(slug, "", data, fields),
      ({ entries }) => entries.update(id, { ...textOf(data), fields }, by),
    );
  };
  const translate = () => {
    const data = drawData(pick, texts, isTyped, true);
    const name = [undefined, undefined, undefined, null, ...names][pick(7)];
    const change = { ...fields, ...(name !== undefined && { name }) };
    return of(
      "translate",
      other,
      () => model.put(slug, other, data, change),
      ({ translations }) => translations.put(id, other, { input: { ...textOf(data), fields }, name }, by),
    );
  };
  const stage = () => {
    const data = drawData(pick, texts, isTyped, any !== "");
    const isForeign = any !== "" && isTyped && data.has("n");
    const change = isForeign ? new Map<string, unknown>() : data;
    const staged: { visibility?: Visibility } = visibility ? { visibility } : {};
    return of(
      "stage",
      any,
      () => model.stage(slug, any, change, visibility, release),
      (store) => store.staged.stage(id, { ...textOf(change), fields: staged, release }, at(any)),
      true,
    );
  };
  const restore = () => {
    const past = item?.past.get(any) ?? [];
    if (past.length === 0) return translate();
    const which = pick(past.length);
    return of(
      "restore",
      any,
      () => model.restore(slug, any, which),
      async ({ entries, history }) => {
        const { uuid } = (await entries.find(id)) as Entry;
        const rows = await history.list({ noun: "entry", thing: uuid, locale: any }, undefined, 100_000);
        assert.equal(rows.length, past.length, `the history of ${slug} "${any}"`);
        return entries.restore(id, { revision: rows.toReversed()[which]?.revision ?? 0 }, at(any));
      },
    );
  };
  const one = releases[pick(3)] as string;
  const everywhere = { paths: null };
  const untrash = () => {
    const trashed = model.trash[pick(model.trash.length)];
    if (!trashed) return create();
    const dropNames = pick(2) === 0;
    const target = { newPath: undefined, extensions: [], dropNames };
    return wide(
      "untrash",
      () => model.untrash(trashed, dropNames),
      ({ trash }) => trash.restore(trashed.id ?? 0, target, by),
    );
  };
  const only = [null, null, ["de"], ["", "fr"], ["de-AT", "fr"]][pick(5)] as string[] | null;
  const draws: [weight: number, () => Writing][] = [
    [item ? 1 : 20, create],
    [5, update],
    [16, translate],
    [12, stage],
    [
      3,
      () =>
        of(
          "discard",
          any,
          () => model.discard(slug, any),
          ({ staged }) => staged.discard(id, {}, at(any)),
          true,
        ),
    ],
    [
      6,
      () =>
        of(
          "publish",
          any,
          () => model.publishOne(slug, any),
          ({ staged }) => staged.publish(id, {}, at(any)),
        ),
    ],
    [4, restore],
    [
      3,
      () =>
        wide(
          "release",
          () => model.publish(one),
          (store) => store.releases.publish(one, everywhere, by),
        ),
    ],
    [
      3,
      () =>
        wide(
          "undo",
          () => model.undo(one),
          (store) => store.releases.undo(one, everywhere, by),
        ),
    ],
    [
      4,
      () =>
        of(
          "trash",
          other,
          () => model.trashOne(slug, other),
          ({ translations }) => translations.delete(id, other, by),
        ),
    ],
    [
      2,
      () =>
        wide(
          `delete ${slug}`,
          () => model.toTrash(slug),
          ({ entries }) => entries.delete(id, { to: "trash" }, by),
        ),
    ],
    [5, untrash],
    [
      3,
      () =>
        wide(
          `move ${slug} ${to}`,
          () => slug === to || model.move(slug, to),
          async ({ entries }) => slug === to || entries.move(id, { newSlug }, by),
        ),
    ],
    [
      3,
      () =>
        wide(
          `copy ${slug} ${to}`,
          () => model.copy(slug, to),
          ({ entries }) => entries.copy(id, { newSlug }, by),
        ),
    ],
    [
      2,
      () =>
        wide(
          `restrict ${slug}`,
          () => model.restrict(slug, only),
          ({ translations }) => translations.restrict(id, only, by),
        ),
    ],
  ];
  const all = draws.flatMap(([weight, make]) => Array<() => Writing>(weight).fill(make));
  return (all[pick(all.length)] as () => Writing)();
}

/** Does it to both, which must end the same. */
export async function write(store: SqlStore, model: Model, { expected, write }: Writing, said: string): Promise<void> {
  const code = await codeOf(expected);
  assert.equal(await codeOf(() => write(store)), code, said);
  const last = model.trash.at(-1);
  if (!last || last.id !== undefined) return;
  const [item] = await store.trash.list({ nouns: ["entry"], paths: null, before: undefined, limit: 1 });
  assert.deepEqual([item?.path, item?.locale], [last.path, last.locale], said);
  last.id = item?.id as number;
}
