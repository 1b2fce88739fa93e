import { setImmediate } from "node:timers/promises";
import { isJsonObject, isSameJson, type Json, type JsonObject, NumberText } from "../core/lib/json.ts";
import { keyOfSegment } from "../core/lib/json-path.ts";
import type { MaybePromise } from "../core/lib/maybe-promise.ts";
import type { Slug } from "../core/path.ts";
import type { Fault } from "../core/problem.ts";
import { quote } from "../core/problem-row.ts";
import type { WrittenEntry } from "../entry/entry.ts";
import { type EntryFields, settableFields, type Visibility } from "../entry/field.ts";
import type { Schemas } from "./collect.ts";
import type { LocalizedKeys } from "./graph.ts";
import { newFaults } from "./known-fault.ts";
import type { Marked } from "./mark.ts";
import { TypePaths } from "./path.ts";
import { problem } from "./problems.ts";
import type { CompiledSchema } from "./schema.ts";
import type { ContentType } from "./type.ts";
import type { WeightOf } from "./weight.ts";

/** Which data a write may store. Contract, part two, §9; decision 55. */

/** The faults that a refusal names. */
const maxNamedFaults = 100;
/** What checks may take together before other work of the thread has its turn. */
const maxBusyMs = 10;
/** What the checks of one write of many entries may take together. */
const maxTogetherMs = 10_000;

/** The types of one state of the store, compiled when they are first needed. */
export class Types {
  private readonly paths: TypePaths;
  private readonly modes: ReadonlyMap<string, ContentType["mode"]>;
  private readonly schemas: Schemas;
  private readonly maxCheckMs: number | undefined;
  private readonly compiled = new Map<string, Promise<CompiledSchema>>();
  private busyMs = 0;
  private leftMs = Infinity;
  /** While other work of the thread has its turn. */
  private turn: Promise<void> | undefined;

  /** A check may take `maxCheckMs`; the default is that of compileSchema. */
  constructor(types: readonly Pick<ContentType, "id" | "paths" | "mode">[], schemas: Schemas, maxCheckMs?: number) {
    this.paths = new TypePaths(types);
    this.modes = new Map(types.map(({ id, mode }) => [id, mode]));
    this.schemas = schemas;
    this.maxCheckMs = maxCheckMs;
  }

  /** The id of the entry's type; undefined when it has none, or when writes of the type are not checked. */
  enforced(slug: Slug, data: JsonObject): string | undefined {
    const type = this.typeOf(slug, data.get("fieldset"));
    return type !== undefined && this.modes.get(type) === "enforce" ? type : undefined;
  }

  modeOf(type: string): ContentType["mode"] | undefined {
    return this.modes.get(type);
  }

  typeOf(slug: Slug, fieldset: Json | undefined): string | undefined {
    return this.paths.typeOf(slug, fieldset);
  }

  /** The same types for a write or a read of many entries, whose checks have a bound of time together; one bound for all. */
  together(maxMs = maxTogetherMs): Types {
    if (this.leftMs !== Infinity) return this;
    return Object.assign(Object.create(Types.prototype), this, {
      leftMs: maxMs,
      busyMs: 0,
      turn: undefined,
    });
  }

  /** What is wrong with the data of an entry of this type. Rejects with type_too_costly. */
  async faultsOf(type: string, data: JsonObject, isLenient: boolean): Promise<readonly Fault[]> {
    const { check, names } = await this.compile(type);
    return this.timed(type, () => check(ownData(data, names.has("content")), isLenient));
  }

  /** The places of the data that its type marks, and whether the type speaks of `content`. Rejects with type_too_costly. */
  async marksOf(type: string, data: JsonObject): Promise<{ marked: readonly Marked[]; namesContent: boolean }> {
    const { marked, names } = await this.compile(type);
    return { marked: await this.timed(type, () => marked(data)), namesContent: names.has("content") };
  }

  /** The keys of the data that each locale may have its own values of. Rejects with schema_invalid. */
  async localizedKeys(type: string): Promise<LocalizedKeys> {
    return (await this.compile(type)).localized;
  }

  /** True when the schema of some type names this field. */
  async declares(field: string): Promise<boolean> {
    for (const type of this.modes.keys()) {
      const schema = await this.compile(type).catch(() => undefined);
      if (schema?.names.has(field)) return true;
    }
    return false;
  }

  /** What the texts under each key of an entry of this type weigh in a search. Rejects with schema_invalid. */
  async weightsOf(type: string): Promise<WeightOf> {
    const { search } = await this.compile(type);
    return (key) => search.of(key);
  }

  private async timed<T>(type: string, work: () => T): Promise<T> {
    // A write may check thousands of entries. On PostgreSQL that is on the thread of requests, which are answered here.
    while (this.turn) await this.turn;
    if (this.leftMs <= 0) throw problem("type_too_costly", { type });
    const startMs = performance.now();
    try {
      return work();
    } finally {
      const tookMs = performance.now() - startMs;
      this.leftMs -= tookMs;
      this.busyMs += tookMs;
      if (this.busyMs > maxBusyMs) this.turn = this.pause();
    }
  }

  private async pause(): Promise<void> {
    await setImmediate();
    this.busyMs = 0;
    this.turn = undefined;
  }

  /** Rejects with schema_invalid. */
  compile(type: string): Promise<CompiledSchema> {
    let compiled = this.compiled.get(type);
    if (!compiled) {
      // The validator takes 100 ms to load; a store without types does without.
      compiled = import("./schema.ts").then(({ compileSchema }) => compileSchema(type, this.schemas, this.maxCheckMs));
      this.compiled.set(type, compiled);
    }
    return compiled;
  }
}

/** The types of a state of the store; `types` is undefined when there are none. */
export type CurrentTypes = { readonly types: Types | undefined };

/** The types as reads use them. */
export interface TypeReads {
  /**
   * The types in force, up to two seconds old where another node changed them. The same object as long as no type
   * changes.
   */
  current(): MaybePromise<CurrentTypes>;
}

/** The data that a schema describes: without `fieldset`, and without the `content` that the service added. */
function ownData(data: JsonObject, namesContent: boolean): unknown {
  const own = toPlain(data) as Record<string, unknown>;
  delete own.fieldset;
  if (own.content === "" && !namesContent) delete own.content;
  return own;
}

/** Values as the validator reads them: a number past 2^53 is the nearest double. */
function toPlain(value: Json): unknown {
  if (value instanceof NumberText) return Number(value.text);
  if (Array.isArray(value)) return value.map(toPlain);
  if (!isJsonObject(value)) return value;
  // Without a prototype: no key of a client reaches one.
  const object: Record<string, unknown> = Object.create(null);
  for (const [key, member] of value) object[key] = toPlain(member);
  return object;
}

/** One state of an entry, as far as its type is concerned. */
export type State = { slug: Slug; data: JsonObject; visibility: Visibility };

/** Drafts are checked leniently: what is missing may still come. */
export const isLenient = ({ visibility }: Pick<State, "visibility">): boolean => visibility === "draft";

/** Answers those of these faults that the entry did not have in an earlier content. */
export type FreshFaults = (faults: readonly Fault[], data: JsonObject) => Promise<readonly Fault[]>;

/** The key of the data that a pointer leads into. */
export const firstKey = (pointer: string): string => keyOfSegment(pointer.split("/", 2)[1] ?? "");

/**
 * Refuses a write for the faults that it brings: those of `after` that `before` has not, as newFaults has it, and a draft had in
 * no earlier content. Without `before`, when that is of another type, or a draft that is none any more, for all. Answers those
 * that it has all the same, the first of many. Rejects with data_invalid, type_too_costly.
 */
export async function refuseFaults(
  types: Types | undefined,
  after: State,
  before?: State,
  freshOf?: FreshFaults,
): Promise<readonly Fault[]> {
  const type = types?.enforced(after.slug, after.data);
  if (!types || type === undefined) return [];
  const found = await types.faultsOf(type, after.data, isLenient(after));
  if (found.length === 0) return found;
  const isPublished = before !== undefined && isLenient(before) && !isLenient(after);
  const isSame = before !== undefined && !isPublished && types.enforced(before.slug, before.data) === type;
  const known = isSame ? await types.faultsOf(type, before.data, isLenient(before)) : [];
  const fresh = newFaults({ faults: found, data: after.data }, { faults: known, data: before?.data ?? after.data });
  refuse(after.slug, type, freshOf && isLenient(after) ? await freshOf(fresh, after.data) : fresh);
  return found.slice(0, maxNamedFaults);
}

/** The same for an entry that is written; `current` is the one whose faults are known. */
export const refuseWrittenFaults = (
  types: Types | undefined,
  { entry, data, before }: WrittenEntry & { before?: JsonObject },
  current?: Pick<State, "slug" | "visibility">,
  freshOf?: FreshFaults,
): Promise<readonly Fault[]> =>
  refuseFaults(types, { ...entry, data }, current && before && { ...current, data: before }, freshOf);

function refuse(slug: Slug, type: string, faults: readonly Fault[]): void {
  if (faults.length === 0) return;
  const count = faults.length;
  throw problem("data_invalid", { id: slug, type, count, faults: faults.slice(0, maxNamedFaults) });
}

/** Refuses a move or a copy that brings the entry into a type that its data does not fit. */
export async function refuseMoved(types: Types, state: State, newSlug: Slug): Promise<void> {
  if (types.enforced(state.slug, state.data) === types.enforced(newSlug, state.data)) return;
  await refuseFaults(types, { ...state, slug: newSlug });
}

/** What of an entry's keys is of all locales, whatever its type: it names that. */
const sharedKeys: ReadonlySet<string> = new Set(["fieldset"]);

/**
 * Refuses a change of what all locales have: of the service's fields, and of a typed entry the keys that its type does not
 * mark; those of another are the source's. Throws scope_missing. Contract §24, Rights.
 */
export async function refuseShared(
  types: Types | undefined,
  before: State & Partial<EntryFields>,
  after: State & Partial<EntryFields>,
): Promise<void> {
  const type = types?.typeOf(before.slug, before.data.get("fieldset"));
  const localized = type === undefined ? undefined : (await types?.localizedKeys(type))?.keys;
  const isShared = (key: string): boolean => sharedKeys.has(key) || (localized !== undefined && !localized.has(key));
  const isSame = (key: string): boolean => {
    const [one, other] = [before.data.get(key), after.data.get(key)];
    return one === undefined || other === undefined ? one === other : isSameJson(one, other);
  };
  const keys = [...new Set([...before.data.keys(), ...after.data.keys()])];
  const changed =
    settableFields.find(({ key }) => before[key] !== after[key])?.name ??
    keys.find((key) => isShared(key) && !isSame(key));
  if (changed !== undefined)
    throw problem("scope_missing", { needed: `locales:all, since ${quote(changed)} is of all locales` });
}
