import type { Fields, FileQuery } from "../../../client/src/client.ts";
import { atAnyDepth, lackingAlt, namedLike, newestFirst, recent } from "../api/file.ts";
import { fileAddress } from "../ui/file-address.ts";
import { addressOf } from "../ui/location.tsx";

/** Which files a list has: those of a folder, or of all folders the recent ones, all, or pictures without alt text. */
export type Shown = "folder" | "recent" | "all" | "no-alt";

const others: readonly string[] = ["recent", "all", "no-alt"] satisfies Shown[];

/** What an address asks for. */
export function shownIn(search: URLSearchParams): Shown {
  const asked = search.get("show") ?? "";
  return others.includes(asked) ? (asked as Shown) : "folder";
}

/** The address of a list; with the path of a file that is open above it. */
export const addressShown = (shown: Shown, folder: string, file?: string): string =>
  shown === "folder"
    ? file === undefined
      ? addressOf("files", folder)
      : fileAddress(file)
    : addressOf("files", folder, { show: shown, ...(file !== undefined && { file }) });

/** The query of a list, with words that are searched for. */
export function queryOf(shown: Shown, text: string, isDeep: boolean): FileQuery<Fields> {
  // Conditions that are alternatives hold beside no others: then the words are searched for.
  const search = text || undefined;
  switch (shown) {
    case "folder":
      return { filter: namedLike(text), ...(isDeep && atAnyDepth) };
    case "recent":
      return { ...newestFirst, filter: recent, search };
    case "all":
      return { ...newestFirst, filter: namedLike(text) };
    case "no-alt":
      return { ...atAnyDepth, filter: lackingAlt, search };
  }
}
