import type { Path } from "../../src/core/path.ts";
import { isWithin, parentOf, rebase } from "../../src/core/path.ts";
import type { Visibility } from "../../src/entry/field.ts";

/** What entries say in four locales, as plainly as it can be said: the model of translation.test.ts. Contract §24. */

/** By key; a copy has undefined for a key that it removes. */
export type Data = ReadonlyMap<string, unknown>;
/** What an entry says in a locale. `publishedAt`: undefined for a time that has passed since no client has set one. */
export type State = { data: Data; visibility: Visibility; publishedAt: number | undefined; name: string | null };
type Saying = State & { version: number };
export type Copy = { data: Data; visibility?: Visibility | undefined; release: string | null };
/** A state that was replaced; `item` is that of the trash which has it. */
type Past = { data: Data; item?: Trashed };
export type Item = {
  uuid: number;
  slug: string;
  isTyped: boolean;
  only: readonly string[] | null;
  says: Map<string, Saying>;
  copies: Map<string, Copy>;
  past: Map<string, Past[]>;
};
export type Trashed = { id?: number; path: string; items: Item[]; locale?: string; state?: State };
type Published = { item: Item; locale: string; version: number; before: State | undefined; copy: Copy };
type Campaign = { isPublished: boolean; published: Published[] };

export type Reader = "public" | "management" | "staged" | "preview";
export type Sight = { reader: Reader; own: string; chain: readonly string[]; isStrict: boolean; now: number };

export const localized = ["title", "text"];
/** The locales other than the source, in the order of the setting. */
export const others = ["de", "de-AT", "fr"];

const isDue = ({ publishedAt }: State, now: number): boolean => publishedAt === undefined || publishedAt <= now;
const isPublic = (state: State, now: number): boolean => state.visibility !== "draft" && isDue(state, now);

function laid(live: Data, change: Data): Data {
  const data = new Map(live);
  for (const [key, value] of change) {
    if (value === undefined) data.delete(key);
    else data.set(key, value);
  }
  return data;
}

/** A write throws the code of its refusal. */
export class Model {
  items: Item[] = [];
  readonly trash: Trashed[] = [];
  readonly releases = new Map<string, Campaign>();
  private count = 0;

  find = (slug: string): Item | undefined => this.items.find((item) => item.slug === slug);
  private existing(slug: string): Item {
    const item = this.find(slug);
    if (!item) throw "entry_not_found";
    return item;
  }
  private below = (top: string): Item[] => this.items.filter(({ slug }) => isWithin(slug as Path, top as Path));

  /** Gives it the content; undefined takes the translation away. */
  private write(item: Item, locale: string, next: State | undefined): void {
    this.keep(item, locale);
    if (next) item.says.set(locale, { ...next, version: ++this.count });
    else item.says.delete(locale);
  }
  private keep(item: Item, locale: string, trashed?: Trashed): void {
    const before = item.says.get(locale);
    if (before) item.past.set(locale, [...(item.past.get(locale) ?? []), { data: before.data, item: trashed }]);
  }
  private refuseFaulty(item: Item, locale: string, { data, visibility }: State, before?: Data): void {
    if (!item.isTyped || locale === "") return;
    const foreign = [...data.keys()].some((key) => !localized.includes(key) && !before?.has(key));
    if (foreign || (visibility !== "draft" && !data.has("title"))) throw "data_invalid";
  }
  private isTaken = (uuid: number, slug: string, locale: string, name: string): boolean =>
    this.items.some(
      (other) =>
        other.uuid !== uuid &&
        parentOf(other.slug as Path) === parentOf(slug as Path) &&
        other.says.get(locale)?.name === name,
    );

  create(slug: string, isTyped: boolean, state: State): void {
    if (this.find(slug)) throw "entry_exists";
    const says = new Map([["", { ...state, version: ++this.count }]]);
    this.items.push({ uuid: this.count, slug, isTyped, only: null, says, copies: new Map(), past: new Map() });
  }
  put(slug: string, locale: string, change: Data, fields: Partial<State>): void {
    const item = this.existing(slug);
    const present = item.says.get(locale);
    const blank: State = { data: new Map(), visibility: "visible", publishedAt: undefined, name: null };
    const next: State = { ...(present ?? blank), ...fields, data: laid((present ?? blank).data, change) };
    if (typeof fields.name === "string" && this.isTaken(item.uuid, slug, locale, fields.name)) throw "name_taken";
    this.refuseFaulty(item, locale, next, present?.data);
    this.write(item, locale, next);
  }
  restrict(slug: string, only: readonly string[] | null): void {
    this.existing(slug).only = only;
  }
  stage(
    slug: string,
    locale: string,
    change: Data,
    visibility: Visibility | undefined,
    release: string | null | undefined,
  ): void {
    const item = this.existing(slug);
    const copy = item.copies.get(locale);
    const isMoved = release !== undefined && change.size === 0 && visibility === undefined;
    if (isMoved && !copy && (release === null || item.says.get(locale)?.visibility !== "draft")) throw "nothing_staged";
    const before = copy?.release ?? null;
    if (release && release !== before) {
      if (this.releases.get(release)?.isPublished) throw "release_published";
      if (before) throw "in_release";
    }
    item.copies.set(locale, {
      data: new Map([...(copy?.data ?? []), ...change]),
      visibility: visibility ?? copy?.visibility,
      release: release === undefined ? before : release,
    });
  }
  discard(slug: string, locale: string): void {
    if (!this.existing(slug).copies.delete(locale)) throw "nothing_staged";
  }
  private applied(item: Item, locale: string): State {
    const copy = item.copies.get(locale);
    const live = item.says.get(locale) ?? { data: new Map(), visibility: "draft", publishedAt: undefined, name: null };
    const visibility = copy?.visibility ?? (live.visibility === "draft" ? "visible" : live.visibility);
    const next = { ...live, data: laid(live.data, copy?.data ?? new Map()), visibility };
    this.refuseFaulty(item, locale, next, live.data);
    return next;
  }
  publishOne(slug: string, locale: string): void {
    const item = this.existing(slug);
    const copy = item.copies.get(locale);
    if (copy?.release) throw "in_release";
    if (!copy && item.says.get(locale)?.visibility !== "draft") throw "nothing_staged";
    this.write(item, locale, this.applied(item, locale));
    item.copies.delete(locale);
  }
  restore(slug: string, locale: string, at: number): void {
    const item = this.existing(slug);
    const { data } = (item.past.get(locale) as Past[])[at] as Past;
    const present = item.says.get(locale) ?? { visibility: "draft", publishedAt: undefined, name: null };
    const next: State = { ...present, data };
    this.refuseFaulty(item, locale, next, data);
    this.write(item, locale, next);
  }

  publish(id: string): void {
    const found = this.releases.get(id) as Campaign;
    if (found.isPublished) throw "release_published";
    const members = this.items.flatMap((item) =>
      [...item.copies].flatMap(([locale, copy]) => (copy.release === id ? [{ item, locale, copy }] : [])),
    );
    let next: State[];
    try {
      next = members.map(({ item, locale }) => this.applied(item, locale));
    } catch {
      throw "release_invalid";
    }
    if (members.length === 0) throw "nothing_staged";
    found.published = members.map(({ item, locale, copy }, i) => {
      const before = item.says.get(locale);
      this.write(item, locale, next[i]);
      item.copies.delete(locale);
      return { item, locale, before, copy, version: item.says.get(locale)?.version as number };
    });
    found.isPublished = true;
    for (const { items } of this.trash)
      for (const { copies } of items) for (const copy of copies.values()) if (copy.release === id) copy.release = null;
  }
  undo(id: string): void {
    const { isPublished, published } = this.releases.get(id) as Campaign;
    if (!isPublished) throw "release_not_published";
    const isChanged = ({ item, locale, version }: Published) =>
      !this.items.includes(item) || item.says.get(locale)?.version !== version || item.copies.has(locale);
    if (published.some(isChanged)) throw "release_changed";
    for (const { item, locale, before, copy } of published) {
      const name = item.says.get(locale)?.name ?? null;
      this.write(item, locale, before && { ...before, name });
      item.copies.set(locale, { ...copy, release: id });
    }
    this.releases.set(id, { isPublished: false, published: [] });
  }

  trashOne(slug: string, locale: string): void {
    const item = this.existing(slug);
    const state = item.says.get(locale);
    if (!state) throw "translation_not_found";
    const trashed = { path: slug, items: [item], locale, state };
    this.keep(item, locale, trashed);
    item.says.delete(locale);
    this.trash.push(trashed);
  }
  toTrash(slug: string): void {
    this.existing(slug);
    const items = this.below(slug);
    this.items = this.items.filter((item) => !items.includes(item));
    this.trash.push({ path: slug, items });
  }
  untrash(trashed: Trashed, dropsNames: boolean): void {
    const { items, locale, state } = trashed;
    const kept = (item: Item, locale: string, name: string | null): string | null => {
      if (name === null || !this.isTaken(item.uuid, item.slug, locale, name)) return name;
      if (!dropsNames) throw "name_taken";
      return null;
    };
    const names = () =>
      items.flatMap((item) =>
        [...item.says].map(([locale, state]) => [state, kept(item, locale, state.name)] as const),
      );
    if (locale !== undefined && state) {
      const [item] = items as [Item];
      if (!this.items.includes(item)) throw "entry_not_found";
      if (item.says.has(locale)) throw "translation_exists";
      item.says.set(locale, { ...(state as Saying), name: kept(item, locale, state.name) });
      const past = item.past.get(locale) ?? [];
      item.past.set(
        locale,
        past.filter((each) => each.item !== trashed),
      );
    } else {
      if (items.some(({ slug }) => this.find(slug))) throw "entry_exists";
      for (const [state, name] of names()) state.name = name;
      this.items.push(...items);
    }
    this.trash.splice(this.trash.indexOf(trashed), 1);
  }

  private targets(slug: string, to: string): Map<Item, string> {
    this.existing(slug);
    if (slug === to) throw "entry_exists";
    if (isWithin(to as Path, slug as Path)) throw "move_into_itself";
    const targets = new Map(
      this.below(slug).map((item) => [item, rebase(item.slug as Path, slug as Path, to as Path) as string]),
    );
    if ([...targets.values()].some((target) => this.find(target))) throw "entry_exists";
    return targets;
  }
  move(slug: string, to: string): void {
    const targets = this.targets(slug, to);
    const top = this.existing(slug);
    for (const [locale, { name }] of top.says)
      if (name !== null && this.isTaken(top.uuid, to, locale, name)) throw "name_taken";
    for (const [item, target] of targets) item.slug = target;
  }
  copy(slug: string, to: string): void {
    const copies = [...this.targets(slug, to)].map(([item, target]): Item => {
      const uuid = ++this.count;
      const says = [...item.says].map(([locale, state]) => {
        const isTaken = target === to && state.name !== null && this.isTaken(uuid, target, locale, state.name);
        return [locale, { ...state, version: ++this.count, name: isTaken ? null : state.name }] as const;
      });
      return { ...item, uuid, slug: target, says: new Map(says), copies: new Map(), past: new Map() };
    });
    this.items.push(...copies);
  }

  // ------------------------------------------------------------------------------------------- answers

  /** What the entry says there, with the working copies that the reader sees laid over. */
  private seen(item: Item, locale: string, { reader, own }: Sight): State | undefined {
    const live = item.says.get(locale);
    const copy = item.copies.get(locale);
    if (!copy || !(reader === "preview" || (reader === "staged" && locale === own))) return live;
    const blank: State = { data: new Map(), visibility: "draft", publishedAt: undefined, name: null };
    const state = live ?? blank;
    return { ...state, data: laid(state.data, copy.data), visibility: copy.visibility ?? state.visibility };
  }
  /** Those of the chain whose values the reader may have. */
  private layers(item: Item, sight: Sight, byId: boolean): [string, State][] {
    return (sight.isStrict ? sight.chain.slice(0, 1) : sight.chain).flatMap((locale): [string, State][] => {
      const state = this.seen(item, locale, sight);
      if (!state) return [];
      if (sight.reader !== "public") return [[locale, state]];
      const isHidden = state.visibility === "hidden" && !(byId && locale === sight.own);
      return isPublic(state, sight.now) && !isHidden ? [[locale, state]] : [];
    });
  }
  /** The data of the answer, and the locale that comes first; undefined where the reader sees none. */
  answer(item: Item, sight: Sight, byId: boolean): { data: Data; visibility: string; first: string } | undefined {
    const source = this.seen(item, "", sight) as State;
    const { reader, own, isStrict, now } = sight;
    if (reader === "public" && (!isPublic(source, now) || (item.only && !item.only.includes(own)))) return undefined;
    const layers = this.layers(item, sight, byId);
    if (isStrict && layers[0]?.[0] !== own) return undefined;
    const shared = [...source.data].filter(([key]) => !isStrict || (item.isTyped && !localized.includes(key)));
    const data = new Map([...shared, ...layers.toReversed().flatMap(([, state]) => [...state.data])]);
    if (!data.has("content")) data.set("content", "");
    return { data, visibility: source.visibility, first: layers[0]?.[0] ?? "" };
  }

  /** The path in a locale, of names that the reader may know. */
  private pathIn(item: Item, chain: readonly string[], { reader, now }: Sight): string {
    const segments = item.slug.split("/").map((slug, i, all) => {
      const at = this.find(all.slice(0, i + 1).join("/"));
      const known = chain.map((locale) => at?.says.get(locale));
      const source = at?.says.get("");
      const isPublic = source && source.visibility !== "draft" && isDue(source, now);
      const named = known.find((state) => state?.name && (reader !== "public" || (isPublic && isShown(state, now))));
      return named?.name ?? slug;
    });
    return segments.join("/");
  }
  /** The headers of the answer. */
  facts(item: Item, sight: Sight, chains: ReadonlyMap<string, readonly string[]>) {
    const { data, first } = this.answer(item, sight, true) as { data: Data; first: string };
    const { own, chain, isStrict, now } = sight;
    const has = first === own ? this.layers(item, sight, true)[0]?.[1].data : undefined;
    const isMissing = (key: string, value: unknown) =>
      !has?.has(key) && !(key === "content" && value === "") && (!item.isTyped || localized.includes(key));
    const open = ["", ...others].filter((locale) => {
      const state = item.says.get(locale);
      return locale === "" || (state && isShown(state, now));
    });
    const isIn = (locale: string) => !item.only || item.only.includes(locale);
    const paths = open
      .filter(isIn)
      .map((locale) => `${locale || "en"}=${this.pathIn(item, chains.get(locale) ?? [], sight)}`);
    return {
      "Content-Language": first || "en",
      "Octavo-Fallback":
        own === "" || isStrict ? [] : [...data].filter(([key, value]) => isMissing(key, value)).map(([key]) => key),
      "Octavo-Path": this.pathIn(item, chain, sight),
      "Octavo-Locales": paths.join(", "),
    };
  }
}

const isShown = (state: State, now: number): boolean => state.visibility === "visible" && isDue(state, now);
