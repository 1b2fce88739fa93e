import type { ContentType } from "../../../client/src/client.ts";
import { TypePaths } from "../../../src/type/path.ts";

/** The content types of the store. Contract, part two, §9. */

export type Types = {
  all: readonly ContentType[];
  /** The type of an entry. */
  typeOf(slug: string, fieldset: unknown): ContentType | undefined;
};

/** Types with the look-up of an entry's type. */
export function withPaths(all: ContentType[]): Types {
  const paths = new TypePaths(all);
  const byId = new Map(all.map((type) => [type.id, type]));
  return { all, typeOf: (slug, fieldset) => byId.get(paths.typeOf(slug as never, fieldset) ?? "") };
}
