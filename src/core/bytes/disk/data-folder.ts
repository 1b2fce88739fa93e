import { dirname, join } from "node:path";
import { cannotSet, codeOf, type Disk, nodeDisk, syncFolder, unless } from "./disk.ts";

/**
 * Modes of the data folder. Other users may traverse it, so that a web server reaches `uploads/`, but not list it.
 * Everything except `uploads/` is private to the service's user: the database holds the signing key, drafts and token
 * hashes, the other folders hold the bytes of private files.
 */

const folderMode = 0o711;
export const privateFiles = ["octavo.db", "octavo.db-wal", "octavo.db-shm", "octavo.db-damaged", "chores.lock"];
export const privateFolders = ["blobs", "tmp", "renditions", "originals", "uploads.unknown"];
const otherNames = ["uploads", "octavo.db-journal", "chores.lock-journal", "octavo.json", "lost+found"];

/** Creates the data folder and its parents with mode 0711, whatever the umask. Throws what the disk throws. */
export async function makeDataFolder(folder: string, disk: Disk = nodeDisk): Promise<void> {
  if (await isFolder(folder, disk)) return;
  // One level at a time: Node's recursive mkdir loops forever where a parent refuses (/proc).
  await makeDataFolder(dirname(folder), disk);
  try {
    await disk.mkdir(folder, { mode: folderMode });
  } catch (error) {
    // Another process may have created it at the same moment.
    if (await isFolder(folder, disk)) return;
    throw error;
  }
  await unless(cannotSet, disk.chmod(folder, folderMode));
  await syncFolder(disk, dirname(folder));
}

async function isFolder(folder: string, disk: Disk): Promise<boolean> {
  const real = await unless(["ENOENT", "ENOTDIR"], disk.realpath(folder));
  return real !== undefined && (await disk.lstat(real)).isDirectory();
}

/**
 * Removes permissions of other users that the data folder and its content should not have; never adds any. A folder that
 * holds more than the store (a home, /tmp) may be shared: its own mode is reported and not changed. Answers a sentence for
 * the operator for each mode that was too open.
 */
export async function tightenDataFolder(
  folder: string,
  isUploadsPrivate: boolean,
  disk: Disk = nodeDisk,
): Promise<string[]> {
  const real = await unless(["ENOENT", "ENOTDIR"], disk.realpath(folder));
  if (real === undefined) return [];
  const folders = isUploadsPrivate ? [...privateFolders, "uploads"] : privateFolders;
  const said = [await tighten(real, folderMode, disk, await isOurs(real, disk))];
  for (const name of privateFiles) said.push(await tighten(join(real, name), 0o600, disk));
  for (const name of folders) said.push(await tighten(join(real, name), 0o700, disk));
  return said.filter((sentence) => sentence !== undefined);
}

async function isOurs(folder: string, disk: Disk): Promise<boolean> {
  const known = new Set([...privateFiles, ...privateFolders, ...otherNames]);
  const names = await unless(["EACCES"], disk.readdir(folder));
  return names?.every((name) => known.has(name)) ?? false;
}

async function tighten(at: string, allowed: number, disk: Disk, isOwn = true): Promise<string | undefined> {
  const stat = await unless(["ENOENT"], disk.lstat(at));
  // A symbolic link is the operator's choice, and so are the modes behind it.
  if (!stat || stat.isSymbolicLink() || (stat.mode & 0o777 & ~allowed) === 0) return undefined;
  // Keeps the sticky, setuid and setgid bits.
  const wanted = stat.mode & (allowed | 0o7000);
  const [is, enough] = [`${at} has the mode ${octal(stat.mode)}`, octal(wanted)];
  if (!isOwn) return `${is}, and ${enough} is enough; it holds more than the store and is left as it is`;
  try {
    await disk.chmod(at, wanted);
    return `${at} had the mode ${octal(stat.mode)}; it is ${enough} now`;
  } catch (error) {
    if (!cannotSet.includes(codeOf(error))) throw error;
    return `${is}, and ${enough} is enough; this user may not change it`;
  }
}

const octal = (mode: number): string => `0${(mode & 0o777).toString(8).padStart(3, "0")}`;
