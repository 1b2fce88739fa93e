import { useState } from "react";
import { type ContentType, etagOf, OctavoProblem, type TypeCheck } from "../../../client/src/client.ts";
import { isSame, type Json } from "../api/json.ts";
import { octavo } from "../api/octavo.ts";
import { refresh } from "../ui/query.ts";

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
  /** Saves what is drafted; true when it is stored. */
  save(): Promise<boolean>;
  /** Saves over what another session stored. */
  saveOver(): Promise<void>;
  /** Drops the changes, and shows what is stored. */
  takeTheirs(): Promise<void>;
  fail(error: unknown): void;
};

/** The draft of a type: the state that was read, and the changes since. */
export function useTypeDraft(read: TaggedType): TypeEditing {
  const { id } = read.type;
  const [base, setBase] = useState(read);
  const [draft, setDraft] = useState(() => draftOf(read.type));
  const [isSaving, setSaving] = useState(false);
  const [isSaved, setSaved] = useState(false);
  const [error, setError] = useState<unknown>();
  const stored = draftOf(base.type);
  const put = async (ifMatch?: string): Promise<boolean> => {
    setSaving(true);
    setError(undefined);
    try {
      const type = { ...draft, id, schema: draft.schema as object };
      setBase(tagged(await octavo.types.put(type, { ifMatch })));
      setSaved(true);
      await refresh("types");
      return true;
    } catch (failure) {
      setError(failure);
      return false;
    } finally {
      setSaving(false);
    }
  };
  return {
    id,
    base: stored,
    storedFault: base.type.fault,
    draft,
    isDirty: !same(draft, stored, ["title", "description", "paths", "mode", "schema"]),
    isStricter: draft.mode === "enforce" && !same(draft, stored, ["paths", "mode", "schema"]),
    isSaving,
    isSaved,
    error,
    isConflict: error instanceof OctavoProblem && error.code === "revision_mismatch",
    edit: (part) => {
      setSaved(false);
      setDraft((before) => ({ ...before, ...part }));
    },
    save: () => put(base.tag),
    saveOver: async () => void (await put()),
    takeTheirs: async () => {
      const theirs = await readType(id);
      setBase(theirs);
      setDraft(draftOf(theirs.type));
      setSaved(false);
      setError(undefined);
    },
    fail: setError,
  };
}
