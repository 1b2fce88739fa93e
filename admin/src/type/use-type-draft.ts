import { useRef, useState } from "react";
import {
  type ContentType,
  etagOf,
  type Migration,
  type MigrationStep,
  OctavoProblem,
  type TypeCheck,
} from "../../../client/src/client.ts";
import { isSame, type Json } from "../api/json.ts";
import { octavo } from "../api/octavo.ts";
import { say, sayMany } from "../language/say.ts";
import { type Renaming, withRenaming } from "../model/type/field-change.ts";
import { refresh } from "../ui/query.ts";
import { notifyFailure } from "../ui/state.tsx";
import { offerUndo } from "../ui/undo.tsx";

/** A type with its ETag. */
export type TaggedType = { type: ContentType; tag: string };
export type TypeDraft = Omit<ContentType, "id" | "schema" | "fault"> & { schema: Json };

const tagged = (type: ContentType): TaggedType => ({ type, tag: etagOf(type) ?? "" });

/** Throws type_not_found. */
export const readType = async (id: string, signal?: AbortSignal): Promise<TaggedType> =>
  tagged(await octavo.types.fetch(id, { signal }));

/** What the type would refuse of what is stored. Throws schema_invalid. */
export const checkType = (id: string, { paths, schema }: Pick<TypeDraft, "paths" | "schema">, signal?: AbortSignal) =>
  octavo.types.check({ id, paths, schema: schema as object }, { signal }) as Promise<TypeCheck>;

const draftOf = ({ id: _id, fault: _fault, schema, ...rest }: ContentType): TypeDraft => ({
  ...rest,
  schema: schema as Json,
});
const same = (a: TypeDraft, b: TypeDraft, keys: readonly (keyof TypeDraft)[]): boolean =>
  keys.every((key) => isSame(a[key], b[key]));

/** What shows entries, and the tables of them. */
const ofEntries = ["entry", "collection", "staged", "history", "views", "me"];

const allKeys = ["title", "description", "paths", "mode", "schema"] as const;

export type TypeEditing = {
  id: string;
  base: TypeDraft;
  /** Why what is stored would be refused now: an earlier version took it. */
  storedFault: ContentType["fault"];
  draft: TypeDraft;
  isDirty: boolean;
  /** Other data would be refused than before. */
  isStricter: boolean;
  isSaving: boolean;
  /** What is shown was saved here. */
  isSaved: boolean;
  error: unknown;
  /** Another session changed the type meanwhile. */
  isConflict: boolean;
  edit(part: Partial<TypeDraft>): void;
  /** The fields that were renamed since the state that was read. */
  renamings: readonly Renaming[];
  rename(renaming: Renaming): void;
  /**
   * Changes fields in the stored type and its entries; answers whether nothing of the draft is left to save. Undefined where
   * another session changed the type meanwhile.
   */
  migrate(steps: readonly MigrationStep[]): Promise<{ done: Migration; isSaved: boolean; left: Json } | undefined>;
  /** Undoes a migration, and shows what is stored then; `left` is the schema that it left. */
  undoMigration(group: number, left: Json): Promise<void>;
  /** Saves what is drafted; true when it is stored. */
  save(): Promise<boolean>;
  /** Saves over what another session stored. */
  saveOver(): Promise<void>;
  /** Drops the changes, and shows what is stored. */
  takeTheirs(): Promise<void>;
  fail(error: unknown): void;
};

/** What is stored; `latest` is that at once: a migration goes on to save before the page is drawn again. */
function useBase(read: TaggedType) {
  const [base, setShown] = useState(read);
  const latest = useRef(read);
  const setBase = (next: TaggedType): void => {
    latest.current = next;
    setShown(next);
  };
  return { base, setBase, latest };
}

type Migrating = {
  id: string;
  base: TaggedType;
  draft: TypeDraft;
  put(ifMatch?: string): Promise<boolean>;
  /** Notes what is stored, and whether that is all of the draft. */
  keep(next: TaggedType, isWhole: boolean): void;
  show(theirs: TaggedType): void;
};

const migrationsOf = ({
  id,
  base,
  draft,
  put,
  keep,
  show,
}: Migrating): Pick<TypeEditing, "migrate" | "undoMigration"> => ({
  migrate: async (steps) => {
    // What somebody else stored meanwhile must not be saved over.
    if ((await readType(id)).tag !== base.tag) {
      await put(base.tag);
      return undefined;
    }
    const done = await octavo.types.migrate(steps);
    const next = await readType(id);
    const isSaved = same(draft, draftOf(next.type), allKeys);
    keep(next, isSaved);
    await refresh("types", ...ofEntries);
    return { done, isSaved, left: next.type.schema as Json };
  },
  undoMigration: async (group, left) => {
    const now = await readType(id);
    if (!isSame(now.type.schema as Json, left))
      await octavo.types.put({ ...now.type, schema: left as object }, { ifMatch: now.tag });
    await octavo.types.undoMigration(group);
    show(await readType(id));
    await refresh("types", ...ofEntries);
  },
});

/** The draft of a type: the state that was read, and the changes since. */
export function useTypeDraft(read: TaggedType): TypeEditing {
  const { id } = read.type;
  const { base, setBase, latest } = useBase(read);
  const [draft, setDraft] = useState(() => draftOf(read.type));
  const [renamings, setRenamings] = useState<readonly Renaming[]>([]);
  const [isSaving, setSaving] = useState(false);
  const [isSaved, setSaved] = useState(false);
  const [error, setError] = useState<unknown>();
  const stored = draftOf(base.type);
  const keep = (next: TaggedType, isWhole: boolean): void => {
    setBase(next);
    setRenamings([]);
    setSaved(isWhole);
  };
  const put = async (ifMatch?: string): Promise<boolean> => {
    setSaving(true);
    setError(undefined);
    try {
      const type = { ...draft, id, schema: draft.schema as object };
      keep(tagged(await octavo.types.put(type, { ifMatch })), true);
      await refresh("types");
      return true;
    } catch (failure) {
      setError(failure);
      return false;
    } finally {
      setSaving(false);
    }
  };
  const show = (theirs: TaggedType): void => {
    keep(theirs, false);
    setDraft(draftOf(theirs.type));
    setError(undefined);
  };
  return {
    id,
    renamings,
    rename: (renaming) => setRenamings((before) => withRenaming(before, renaming)),
    ...migrationsOf({ id, base, draft, put, keep, show }),
    base: stored,
    storedFault: base.type.fault,
    draft,
    isDirty: !same(draft, stored, allKeys),
    isStricter: draft.mode === "enforce" && !same(draft, stored, ["paths", "mode", "schema"]),
    isSaving,
    isSaved,
    error,
    isConflict: error instanceof OctavoProblem && error.code === "revision_mismatch",
    edit: (part) => {
      setSaved(false);
      setDraft((before) => ({ ...before, ...part }));
    },
    save: () => put(latest.current.tag),
    saveOver: async () => void (await put()),
    takeTheirs: async () => show(await readType(id)),
    fail: setError,
  };
}

/** Closes the offer before: what it would undo was changed since. */
let closeOffer = (): void => undefined;

/** Offers to undo a migration of the editor, also when more was saved after it. */
export function offerMigrationUndo(
  { id, undoMigration }: TypeEditing,
  { group, entries }: Migration,
  left: Json,
): void {
  if (group === null) return;
  const undo = (): Promise<void> => undoMigration(group, left);
  closeOffer();
  closeOffer = offerUndo(
    say("Saved the type"),
    id,
    () => void undo().catch(notifyFailure),
    sayMany(entries, "Changed {count} entry", "Changed {count} entries"),
  );
}
