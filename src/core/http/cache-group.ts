import type { Access } from "../access/access.ts";
import { type GroupHeader, maxGroups } from "../list/cache-group.ts";

/** Cache groups in the headers of replies. Contract, part three, §12. */

/** How each header lists names, which have letters, digits and hyphens alone. `Cache-Groups`: RFC 9875. */
const formats: Record<GroupHeader, (groups: readonly string[]) => string> = {
  "Cache-Groups": (groups) => groups.map((group) => `"${group}"`).join(", "),
  "Surrogate-Key": (groups) => groups.join(" "),
  "Cache-Tag": (groups) => groups.join(","),
  xkey: (groups) => groups.join(" "),
};

/** The headers that the setting names. */
export class GroupHeaders {
  private readonly names: readonly GroupHeader[];

  constructor(names: readonly GroupHeader[]) {
    this.names = names;
  }

  /** Names and values in turn; undefined for more groups than a reply that is kept may have. */
  of(groups: Iterable<string>): string[] | undefined {
    const each = [...new Set(groups)];
    return each.length > maxGroups ? undefined : this.names.flatMap((name) => [name, formats[name](each)]);
  }
}

/** The answer with the headers of its groups, where there are any; one of too many is not to be kept. */
export function grouped<A extends { cacheControl: string }>(
  answer: A,
  groups: GroupHeaders | undefined,
  names: () => Iterable<string>,
): A & { groups?: string[] } {
  if (!groups) return answer;
  const headers = groups.of(names());
  return headers ? { ...answer, groups: headers } : { ...answer, cacheControl: "no-store" };
}

/** The headers for the replies of this access: only what the public may see is kept for others. */
export const groupsFor = ({ reads }: Access, groups: GroupHeaders | undefined): GroupHeaders | undefined =>
  reads === "public" ? groups : undefined;
