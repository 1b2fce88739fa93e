import { type ChildProcess, execFile } from "node:child_process";
import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { ClockFacts } from "../../../clock.ts";
import { lowerPriority } from "../../../lib/priority.ts";
import { isUnloadable, siblingFile } from "../../../lib/sibling.ts";
import { caused, problem } from "../../../problem.ts";
import type { Damage } from "../../damage.ts";

const checkerFile = fileURLToPath(siblingFile(import.meta.url, "checker"));

/**
 * None of the service's environment but where compiled code is kept: a start without it takes three times the processor
 * time.
 */
const environment = (): Record<string, string> => {
  // A folder below the one that the variable names: of this version of Node.
  const folder = getCompileCacheDir();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
};

/** Long checks of the database file, in child processes. */
export class SqliteCheck {
  /** When the last check of the whole file ended, in Unix seconds; 0 before the first. */
  endedAt = 0;
  private readonly folder: string;
  private readonly damage: Damage;
  private readonly children = new Set<ChildProcess>();
  private running: Promise<void> | undefined;

  constructor(folder: string, damage: Damage) {
    this.folder = folder;
    this.damage = damage;
  }

  /**
   * Checks the whole file and records the findings in `damage`. Concurrent callers share one check. Throws busy when it
   * fails.
   */
  run(): Promise<void> {
    this.running ??= this.look().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  /** Compares the times in the file with a clock that shows `nowSeconds`. Throws busy when the check fails. */
  clock(nowSeconds: number): Promise<ClockFacts> {
    return this.ask("clock", String(nowSeconds));
  }

  /** Kills the checks in progress, and waits until their connections are gone. */
  async close(): Promise<void> {
    for (const child of this.children) child.kill("SIGKILL");
    while (this.children.size > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  private async look(): Promise<void> {
    // The known damage may be of a kind that the quick check does not detect.
    const check = this.damage.faults.length > 0 ? "integrity_check" : "quick_check";
    const faults = await this.ask<string[]>(check);
    if (faults.length > 0) this.damage.found(faults);
    else if (check === "integrity_check") this.damage.clear();
    this.endedAt = Math.floor(Date.now() / 1000);
  }

  private ask<T>(...question: string[]): Promise<T> {
    const words = ["--disable-warning=ExperimentalWarning", checkerFile, this.folder, ...question];
    return new Promise((resolve, reject) => {
      const child = execFile(process.execPath, words, { env: environment(), maxBuffer: 1024 * 1024 }, (error, out) => {
        this.children.delete(child);
        if (!error) return resolve(JSON.parse(out));
        const busy = problem("busy", { reason: "the database file cannot be looked at" });
        reject(caused(isUnloadable(error) ? problem("internal") : busy, error));
      });
      this.children.add(child);
      lowerPriority(child.pid);
    });
  }
}
