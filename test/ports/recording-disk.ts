import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { type Disk, nodeDisk } from "../../src/core/bytes/disk/disk.ts";

/**
 * What a power loss leaves of unsynced changes: the names, the bytes, both or neither. POSIX does not define it, and file
 * systems differ: the store must survive each of them.
 */
export type Loss = {
  names: "synced" | "all";
  bytes: "synced" | "all";
  /** A folder on its own file system: only its synced names are left. */
  mount?: string;
};
export const losses: readonly Loss[] = [
  { names: "synced", bytes: "synced" },
  { names: "all", bytes: "synced" },
  { names: "synced", bytes: "all" },
  { names: "all", bytes: "all" },
];

type Kind = "folder" | "file" | "link";
type Name = { id: number; kind: Kind; text: string };

/** The calls that change the disk; each can be the last one before a power loss. */
const changing = [
  "link",
  "symlink",
  "rename",
  "unlink",
  "rm",
  "mkdir",
  "rmdir",
  "copyFile",
  "chmod",
  "utimes",
] as const;

/**
 * The real disk below one folder, recording what is durable: the bytes of a file at the last sync of its handle, the
 * names in a folder at its last sync. The initial contents are durable.
 */
export class RecordingDisk {
  readonly disk: Disk;
  /** Runs after each call that changed or synced something. */
  onStep: (step: string) => Promise<void> = async () => undefined;
  private readonly root: string;
  /** A number for each file and folder, by inode: inodes are reused, numbers are not. */
  private readonly ids = new Map<number, number>();
  private lastId = 0;
  private readonly names = new Map<number, Map<string, Name>>();
  private readonly bytes = new Map<number, Buffer>();

  constructor(root: string) {
    this.root = root;
    this.scan(root);
    this.disk = { ...nodeDisk, open: this.open as Disk["open"], ...this.changingCalls() };
  }

  /** Writes what a power loss would leave now into an empty folder, except the files that `skip` names. */
  lose(into: string, loss: Loss, skip: (name: string) => boolean): void {
    const made = new Map<number, string>();
    const write = (from: string | undefined, id: number, to: string, isAll: boolean): void => {
      const names = isAll && from !== undefined ? this.look(from) : (this.names.get(id) ?? new Map());
      for (const [name, { id, kind, text }] of names) {
        if (skip(name)) continue;
        const [here, there] = [from === undefined ? undefined : join(from, name), join(to, name)];
        const real = here !== undefined && existsSync(here) && this.idOf(here) === id ? here : undefined;
        if (kind === "folder") {
          mkdirSync(there);
          write(real, id, there, isAll && name !== loss.mount);
        } else if (kind === "link") symlinkSync(text, there);
        else if (made.has(id)) linkSync(made.get(id) as string, there);
        else {
          const isThere = loss.bytes === "all" && real !== undefined;
          writeFileSync(there, isThere ? readFileSync(real) : (this.bytes.get(id) ?? ""));
          chmodSync(there, real === undefined ? 0o444 : lstatSync(real).mode);
          made.set(id, there);
        }
      }
    };
    write(this.root, this.idOf(this.root), into, loss.names === "all");
  }

  private scan(folder: string): void {
    this.names.set(this.idOf(folder), this.look(folder));
    for (const [name, { id, kind }] of this.look(folder)) {
      if (kind === "folder") this.scan(join(folder, name));
      if (kind === "file") this.bytes.set(id, readFileSync(join(folder, name)));
    }
  }

  private look(folder: string): Map<string, Name> {
    const found = new Map<string, Name>();
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const at = join(folder, entry.name);
      const kind = entry.isDirectory() ? "folder" : entry.isSymbolicLink() ? "link" : "file";
      found.set(entry.name, { id: this.idOf(at), kind, text: kind === "link" ? readlinkSync(at) : "" });
    }
    return found;
  }

  private idOf(at: string): number {
    const { ino } = lstatSync(at);
    return this.ids.get(ino) ?? this.number(at);
  }

  /** A new number: it is a new file, even if the inode is reused. */
  private number(at: string): number {
    this.ids.set(lstatSync(at).ino, ++this.lastId);
    return this.lastId;
  }

  private readonly open = async (path: string, ...rest: never[]): Promise<FileHandle> => {
    const isNew = !existsSync(path);
    const handle = await nodeDisk.open(path, ...rest);
    if (isNew) {
      this.number(path);
      await this.onStep(`open ${path}`);
    }
    return this.watched(handle, path);
  };

  private watched(handle: FileHandle, path: string): FileHandle {
    return new Proxy(handle, {
      get: (target, name) => {
        const member = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        const call = member.bind(target) as (...args: unknown[]) => Promise<unknown>;
        if (!["sync", "datasync", "writev", "writeFile", "appendFile"].includes(String(name))) return call;
        return async (...args: unknown[]) => {
          const result = await call(...args);
          if (name === "sync" || name === "datasync") this.synced(target);
          await this.onStep(`${String(name)} ${path}`);
          return result;
        };
      },
    });
  }

  private synced(handle: FileHandle): void {
    // Through the handle: the file may be renamed or deleted by now, and the handle may be write-only.
    const at = `/proc/self/fd/${handle.fd}`;
    const stat = statSync(at);
    const id = this.ids.get(stat.ino) as number;
    if (stat.isDirectory()) this.names.set(id, this.look(at));
    else this.bytes.set(id, readFileSync(at));
  }

  private changingCalls(): Partial<Disk> {
    const calls = changing.map((name) => {
      const call = nodeDisk[name] as (...args: unknown[]) => Promise<unknown>;
      const recorded = async (...args: unknown[]) => {
        const result = await call(...args);
        this.created(name, args, result);
        await this.onStep(`${name} ${args.join(" ")}`);
        return result;
      };
      return [name, recorded];
    });
    return Object.fromEntries(calls);
  }

  private created(name: string, args: readonly unknown[], result: unknown): void {
    if (name === "copyFile" || name === "symlink") this.number(args[1] as string);
    if (name !== "mkdir") return;
    // A recursive one returns the first folder that it created.
    const { recursive } = (args[1] ?? {}) as { recursive?: boolean };
    const first = recursive ? (result as string | undefined) : (args[0] as string);
    for (let at = args[0] as string; first !== undefined && at.length >= first.length; at = join(at, ".."))
      this.number(at);
  }
}
