import { condition } from "../../../client/src/client.ts";
import { atAnyDepth, type File, listFiles, pathOf, uploadsUrl } from "../api/file.ts";
import { joinPath } from "../api/path.ts";

/** What a file meets that is about to be uploaded. */
export type Already = {
  /** The path that it would get, where another file is. */
  taken: string | undefined;
  /** The paths of files with the same bytes; of those with its name and size where bytes cannot be compared. */
  same: readonly string[];
  isByBytes: boolean;
};

/** A browser has all bytes of what it digests in memory. */
const maxDigestedBytes = 64 * 1024 * 1024;

/** The version that the service gives files with these bytes; undefined where the browser cannot say. Contract §5. */
async function versionOf(file: Blob): Promise<string | undefined> {
  // Browsers digest only at https and at the own machine.
  if (!globalThis.crypto?.subtle || file.size > maxDigestedBytes) return undefined;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", await file.arrayBuffer()));
  return [...digest.subarray(0, 8)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Looks for it in all folders; undefined where there is nothing of it. */
export async function findAlready(folder: string, file: globalThis.File): Promise<Already | undefined> {
  const version = await versionOf(file);
  const goal = joinPath(folder, file.name);
  const alike =
    version === undefined
      ? condition("filename", "eq", file.name).and(condition("filesize", "eq", file.size))
      : condition("version", "eq", version);
  const { items } = await listFiles("", { ...atAnyDepth, filter: alike.or(condition("url", "eq", uploadsUrl(goal))) });
  const isSame = (found: (typeof items)[number]): boolean =>
    version === undefined ? found.filename === file.name && found.filesize === file.size : found.version === version;
  const same = items.filter(isSame).map(pathOf);
  const taken = items.map(pathOf).find((path) => path === goal);
  return items.length === 0 ? undefined : { taken, same, isByBytes: version !== undefined };
}

/** Another file with the bytes of this one, which was just stored. */
export async function findSame({ version, url }: File): Promise<string | undefined> {
  const { items } = await listFiles("", { ...atAnyDepth, filter: condition("version", "eq", version), limit: 2 });
  return items.filter((found) => found.url !== url).map(pathOf)[0];
}
