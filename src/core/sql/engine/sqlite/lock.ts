import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createPrivately } from "./connection.ts";

/**
 * Does the work unless another process with this folder, or another caller in this one, is doing work of this name;
 * answers whether it did. The lock is SQLite's own on an empty database, so the system releases it when a process dies.
 */
export async function alone(folder: string, name: string, work: () => Promise<void>): Promise<boolean> {
  const file = join(folder, `${name}.lock`);
  createPrivately(file);
  const lock = new DatabaseSync(file, { timeout: 0 });
  try {
    if (!take(lock)) return false;
    await work();
    return true;
  } finally {
    lock.close();
  }
}

function take(lock: DatabaseSync): boolean {
  try {
    lock.exec("BEGIN EXCLUSIVE");
    return true;
  } catch (error) {
    if ((error as { errcode?: number }).errcode === sqliteBusy) return false;
    throw error;
  }
}

const sqliteBusy = 5;
