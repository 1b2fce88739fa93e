import { type ChildProcess, execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { lowerPriority } from "../../lib/priority.ts";
import { siblingFile } from "../../lib/sibling.ts";
import type { Damage } from "./damage.ts";

const checkerFile = fileURLToPath(siblingFile(import.meta.url, "checker"));

/** Looks at the whole database file, in a process of its own beside the work. What it finds, `damage` knows. */
export class SqliteCheck {
  /** When the last look ended, in Unix seconds; 0 before the first. */
  endedAt = 0;
  private readonly folder: string;
  private readonly damage: Damage;
  private running: Promise<void> | undefined;
  private child: ChildProcess | undefined;
  private isClosed = false;

  constructor(folder: string, damage: Damage) {
    this.folder = folder;
    this.damage = damage;
  }

  /** One look for all who ask meanwhile. Rejects when it cannot be taken; then nothing new is known. */
  run(): Promise<void> {
    this.running ??= this.look().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  /** Breaks off the look that is under way. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.child?.kill("SIGKILL");
    await this.running?.catch(() => undefined);
  }

  private async look(): Promise<void> {
    // Damage that was met may be of a sort that the quick look does not see.
    const check = this.damage.faults.length > 0 ? "integrity_check" : "quick_check";
    const text = await this.ask(check);
    if (text === undefined) return;
    const faults = JSON.parse(text) as string[];
    if (faults.length > 0) this.damage.found(faults);
    else if (check === "integrity_check") this.damage.clear();
    this.endedAt = Math.floor(Date.now() / 1000);
  }

  /** What the checker prints; undefined when this is closed meanwhile. */
  private ask(check: string): Promise<string | undefined> {
    const words = ["--disable-warning=ExperimentalWarning", checkerFile, this.folder, check];
    return new Promise((resolve, reject) => {
      // Nothing of our environment goes over.
      this.child = execFile(process.execPath, words, { env: {}, maxBuffer: 1024 * 1024 }, (error, out) => {
        if (this.isClosed) resolve(undefined);
        else if (error) reject(error);
        else resolve(out);
      });
      lowerPriority(this.child.pid);
    });
  }
}
