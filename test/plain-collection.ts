import { type Access, accessOf, readerOf } from "../src/core/access/access.ts";
import { type JsonObject, toJson } from "../src/core/lib/json.ts";
import { wholeText } from "../src/core/lib/long-text.ts";
import {
  answerCollection,
  type CollectionAnswer,
  type CollectionItem,
  type CollectionQuery,
  parseCollection,
} from "../src/core/list/list.ts";
import type { Path, Slug } from "../src/core/path.ts";
import { Problem } from "../src/core/problem.ts";
import type { Entry, EntryStore } from "../src/entry/entry.ts";
import { entryItem } from "../src/entry/item.ts";
import { isListed } from "../src/entry/visibility.ts";
import { type File, type FileStore, fileItem } from "../src/file/file.ts";
import { type Folder, type FolderStore, folderItem } from "../src/file/folder.ts";
import { fraction, seed } from "./random.ts";

/** Collections of a store, and of the domain from all entries: both must be equal. Decision 7. */

const bounds = { maxLimit: 10_000, defaultLimit: 10_000 };

/** The pages of the store, one after another by cursor, at most this many. */
export const storePages = (
  { entries }: { entries: EntryStore },
  top: Slug,
  args: object,
  access: Access,
  most?: number,
): Promise<string[]> => pages(top, args, (query) => entries.list(query, access), most);

/** The domain's result from all entries. */
export function plainPages(
  top: Slug,
  args: object,
  entries: Entry[],
  access: Access,
  most?: number,
): Promise<string[]> {
  const { nowSeconds } = access;
  const options = optionsAt(nowSeconds);
  const listed = entries.filter((entry) => isListed(entry, access)).map(entryItem);
  return pages(top, args, (query) => answerCollection(query, readerOf(access), [listed], options), most);
}

const place = { root: "/uploads", base: "http://test" };
const nowSeconds = 9000;
const management = accessOf({ kind: "management" }, nowSeconds);

/** The store's pages of files, as they are in the first locale of the chain. */
export const storeFilePages = (
  { files }: { files: FileStore },
  top: Path,
  args: object,
  chain?: readonly string[],
): Promise<string[]> => pages(top, args, (query) => files.list(query, place, management, undefined, chain));

/** The store's pages of folders. */
export const storeFolderPages = ({ folders }: { folders: FolderStore }, top: Path, args: object): Promise<string[]> =>
  pages(top, args, (query) => folders.list(query, "path", place, management));

/** The domain's result from all these files. */
export const plainFilePages = (top: Path, args: object, files: readonly File[]): Promise<string[]> =>
  plainItemPages(
    top,
    args,
    files.map((file) => fileItem(file, place)),
  );

/** The domain's result from all these folders. */
export const plainFolderPages = (top: Path, args: object, folders: readonly Folder[]): Promise<string[]> =>
  plainItemPages(
    top,
    args,
    folders.map((folder) => folderItem(folder, "path", place)),
  );

/** Bounds that no test reaches, and chance that is the same for each list. */
const optionsAt = (nowSeconds: number) => ({
  arrival: "any" as const,
  pageBytes: 1e9,
  regexpBudgetMs: 10_000,
  random: fraction(seed),
  nowSeconds,
});

function plainItemPages(top: Path, args: object, listed: CollectionItem[]): Promise<string[]> {
  const options = optionsAt(nowSeconds);
  return pages(top, args, (query) => answerCollection(query, "uploads", [listed], options));
}

async function pages(
  top: Path,
  args: object,
  list: (query: CollectionQuery) => Promise<CollectionAnswer>,
  most = Number.POSITIVE_INFINITY,
): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: string | undefined = ""; cursor !== undefined && found.length < most; ) {
    const sent = { ...args, cursor };
    let next: string | undefined;
    found.push(
      await outcome(async () => {
        const answer = await list(parseCollection(top, toJson(sent) as JsonObject, bounds));
        next = answer.next;
        return `${answer.total ?? ""}${wholeText(answer.json)}`;
      }),
    );
    cursor = next;
  }
  return found;
}

async function outcome(work: () => Promise<string>): Promise<string> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Problem && error.kind === "invalid") return error.code;
    throw error;
  }
}
