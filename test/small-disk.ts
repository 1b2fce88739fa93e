import "./env.ts";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atEnd } from "./ending.ts";

type SmallDisk = {
  folder: string;
  /** Why a test that needs it is skipped; undefined if it runs. */
  skip: string | false;
};

/** An empty file system of this size, unmounted after the tests of the file. Call it at the top of the file. */
export function smallDisk(mebibytes: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), "octavo-test-"));
  let isMounted = false;
  atEnd(() => {
    if (isMounted) execFileSync("umount", ["-l", folder]);
    rmSync(folder, { recursive: true });
  });
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${mebibytes}m`, "none", folder], { stdio: "ignore" });
    isMounted = true;
    return { folder, skip: false };
  } catch {
    return { folder, skip: "a small file system cannot be mounted here: that needs root" };
  }
}
