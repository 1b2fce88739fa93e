import { useQuery } from "@tanstack/react-query";
import type { ContentType } from "../../../client/src/client.ts";
import { TypePaths } from "../../../src/type/path.ts";
import { useMay, useWritesLive } from "../session-context.ts";
import { typesQuery } from "./types-query.ts";

/** The content types of the store. Contract, part two, §9. */

export type Types = {
  all: readonly ContentType[];
  /** The type of an entry. */
  typeOf(slug: string, fieldset: unknown): ContentType | undefined;
};

/** Undefined until they are read, and for sessions that may not manage entries. */
export const useTypes = (): Types | undefined =>
  useQuery({ ...typesQuery, enabled: useMay("entries"), select: withPaths }).data;

/** Whether this session may change types. */
export function useMayChangeTypes(): boolean {
  const mayAdmin = useMay("admin");
  return useWritesLive() && mayAdmin;
}

/** Types with the look-up of an entry's type. */
export function withPaths(all: ContentType[]): Types {
  const paths = new TypePaths(all);
  const byId = new Map(all.map((type) => [type.id, type]));
  return { all, typeOf: (slug, fieldset) => byId.get(paths.typeOf(slug as never, fieldset) ?? "") };
}
