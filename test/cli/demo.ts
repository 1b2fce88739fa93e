import { join } from "node:path";
import { temporaryFolder } from "../harness.ts";
import { runOctavo, startOctavo } from "./octavo.ts";

/**
 * A running service with the sample site, and `octavo` on its store. Awaited at the top of a file: in a hook it would be
 * killed at the hook's end.
 */
export async function startDemo() {
  const folder = temporaryFolder();
  const data = join(folder, "data");
  const service = await startOctavo(["--demo", "--data", data], { cwd: folder });
  const secret = (kind: string) => new RegExp(`${kind} +(oct_\\S+)`).exec(service.lines.join("\n"))?.[1] ?? "";
  const headers = {
    "Content-Type": "application/json",
    Authorization: `Bearer ${secret("management")}`,
    "X-Access-Token": secret("access"),
  };
  const octavo = async (...words: string[]) => {
    const { code, out, err } = await runOctavo([...words, "--data", data], { cwd: folder });
    return { code, out: out.trim(), err: err.trim() };
  };
  return { folder, data, service, headers, octavo };
}
