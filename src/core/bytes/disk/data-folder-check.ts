import { constants } from "node:fs";
import { access, readdir, stat, statfs } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { type Finding, findingsOf } from "../../finding.ts";
import { privateFiles, privateFolders } from "./data-folder.ts";
import { codeOf, unless } from "./disk.ts";
import { minFreeBytes } from "./room.ts";

/** What `octavo doctor` says about the data folder and its disk. Changes and creates nothing. */

const { ok, warning, fault } = findingsOf("folder");
const disk = findingsOf("disk");

/** `needsLocks`: a SQLite database is in the folder. */
type DataFolderOptions = { folder: string; needsLocks: boolean };

/** The folder, the rights of this user and of the service in it, and the room on its disk. */
export async function dataFolderFindings({ folder, needsLocks }: DataFolderOptions): Promise<Finding[]> {
  const at = resolve(folder);
  const place = await existing(at);
  // Nobody has rights there, whoever the folder belongs to.
  if (await isReadOnly(place)) return [disk.fault(`the disk of ${place} is read-only: mount it with rw`)];
  const found = place === at ? await folderFindings(at) : [await missingFolder(at, place)];
  return [...found, ...(await diskFindings(place, needsLocks))];
}

/** The folder, or the nearest one above it that is there. */
async function existing(path: string): Promise<string> {
  const isThere = await unless(["ENOENT", "ENOTDIR", "EACCES"], stat(path));
  return isThere || path === dirname(path) ? path : existing(dirname(path));
}

async function missingFolder(folder: string, above: string): Promise<Finding> {
  if (!(await stat(above)).isDirectory()) return fault(`${folder} cannot be made: ${above} is a file; change data`);
  if (await may(above, constants.W_OK | constants.X_OK))
    return ok(`${folder} is not there yet: the first start makes it`);
  return fault(
    `${folder} is not there, and this user may not make it in ${above}: make it as root, ` +
      `install -d -m 0711 -o USER -g GROUP ${folder}, with the user of the service`,
  );
}

async function folderFindings(folder: string): Promise<Finding[]> {
  const at = await stat(folder);
  const { uid, mode } = at;
  if (!at.isDirectory()) return [fault(`${folder} is a file; expected a folder: change data`)];
  const own = process.getuid?.();
  const all = constants.R_OK | constants.W_OK | constants.X_OK;
  if (!(await may(folder, all))) {
    return [
      fault(
        `${folder} belongs to the user ${uid}, and this user, ${own}, may not read and write it: run this as the ` +
          `service's user, or give the folder to it: chown -R USER:GROUP ${folder}`,
      ),
    ];
  }
  const found = [...(await insideFindings(folder, uid))];
  if ((mode & 0o066) !== 0) found.push(warning(`${folder} has the mode ${octal(mode)}: 0711 is enough (chmod 0711)`));
  if (own === 0 && uid !== 0) {
    found.push(warning(`this is root, and ${folder} belongs to the user ${uid}: run it as that user, which it is for`));
  }
  return found.length > 0 ? found : [ok(`${folder} can be read and written by this user; its modes are private`)];
}

/** What root left behind, by a command, keeps the service's user from its own store. */
async function insideFindings(folder: string, owner: number): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const name of [...privateFiles, ...privateFolders, "uploads", ...(await blobFolders(folder))]) {
    const path = join(folder, name);
    const at = await unless(["ENOENT"], stat(path));
    if (!at) continue;
    const rights = constants.R_OK | constants.W_OK | (at.isDirectory() ? constants.X_OK : 0);
    if (at.uid !== owner) {
      found.push(fault(`${path} belongs to the user ${at.uid}, the folder to ${owner}: chown -R ${owner} ${folder}`));
    } else if (!(await may(path, rights))) {
      found.push(fault(`${path} has the mode ${octal(at.mode)}, so that its own user may not use it: chmod u+rwX it`));
    } else if (name !== "uploads" && (at.mode & 0o077) !== 0) {
      found.push(warning(`${path} has the mode ${octal(at.mode)}: others may see it until the next start tightens it`));
    }
  }
  return found;
}

const blobFolders = async (folder: string): Promise<string[]> =>
  ((await unless(["ENOENT", "ENOTDIR", "EACCES"], readdir(join(folder, "blobs")))) ?? [])
    .filter((name) => /^[0-9a-f]{2}$/.test(name))
    .map((name) => join("blobs", name));

async function may(path: string, rights: number): Promise<boolean> {
  return access(path, rights).then(
    () => true,
    () => false,
  );
}

/** From here on a warning: the alarm of docs/operations.md. */
const lowShare = 0.2;
/** With so much free the share does not matter. */
const enoughBytes = 50 * 1024 ** 3;

async function diskFindings(folder: string, needsLocks: boolean): Promise<Finding[]> {
  const { bavail, bfree, blocks, bsize, ffree, files, type } = await statfs(folder);
  const free = (process.getuid?.() === 0 ? bfree : bavail) * bsize;
  const said = `${size(free)} of ${size(blocks * bsize)} free for ${folder}`;
  const found: Finding[] = [];
  const network = networkDisks[type];
  if (needsLocks && network) {
    found.push(
      disk.fault(`${folder} is on ${network}, where SQLite loses data: use a disk of this machine, or postgres_url`),
    );
  }
  if (free < minFreeBytes) found.push(disk.fault(`the disk is full (${said}): free space; the service does not start`));
  else if (files > 0 && ffree === 0)
    found.push(disk.fault(`the disk of ${folder} has no inode left: delete files there`));
  else if (free < blocks * bsize * lowShare && free < enoughBytes)
    found.push(disk.warning(`less than a fifth of the disk is free (${said}): make room before it is full`));
  else found.push(disk.ok(said));
  return found;
}

const isReadOnly = async (folder: string): Promise<boolean> =>
  access(folder, constants.W_OK).then(
    () => false,
    (error: unknown) => codeOf(error) === "EROFS",
  );

/** File systems whose locks and shared memory SQLite cannot rely on, by the numbers of statfs(2). */
const networkDisks: Readonly<Record<number, string>> = {
  26985: "NFS",
  20859: "SMB",
  4283649346: "SMB (CIFS)",
  4266872130: "SMB",
  16914839: "9P",
  12805120: "CephFS",
};

const octal = (mode: number): string => `0${(mode & 0o777).toString(8).padStart(3, "0")}`;
const size = (bytes: number): string =>
  bytes < 1024 ** 3 ? `${(bytes / 1024 ** 2).toFixed(1)} MiB` : `${(bytes / 1024 ** 3).toFixed(1)} GiB`;
