import { dirname, join } from "node:path";
import { cannotSet, codeOf, type Disk, nodeDisk, syncFolder, unless } from "./disk.ts";

/**
 * The data folder and who may look into it. The folder can be passed through, so that a web server reaches `uploads/`, and
 * not listed; everything besides `uploads/` is the service's user's alone: the database holds the key that signs addresses,
 * drafts and the hashes of tokens, the other folders hold the bytes of private files.
 */

const folderMode = 0o711;
const privateFiles = ["octavo.db", "octavo.db-wal", "octavo.db-shm", "chores.lock"];
const privateFolders = ["blobs", "tmp", "renditions", "originals", "uploads.unknown"];
const otherNames = ["uploads", "octavo.db-journal", "chores.lock-journal", "octavo.json", "lost+found"];

/** Makes the data folder where it is missing, and those above it, whatever the umask is. Throws what the disk throws. */
export async function makeDataFolder(folder: string, disk: Disk = nodeDisk): Promise<void> {
  if (await isFolder(folder, disk)) return;
  // One by one: Node's recursive mkdir spins for ever where a parent refuses (/proc).
  await makeDataFolder(dirname(folder), disk);
  try {
    await disk.mkdir(folder, { mode: folderMode });
  } catch (error) {
    // Another process that starts at the same moment may have made it.
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
 * Takes away what the modes of a data folder and of what lies in it allow to others and should not; never gives anything.
 * A folder that holds more than the store is somebody's besides (a home, /tmp): it is left as it is. Answers a sentence for
 * each that was too open, for the operator.
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
  // A link leads to what the operator has put elsewhere; its modes are his.
  if (!stat || stat.isSymbolicLink() || (stat.mode & 0o777 & ~allowed) === 0) return undefined;
  // Sticky and group bits of a folder stay.
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
