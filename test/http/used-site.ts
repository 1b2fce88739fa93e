import { openSite, type Site } from "../../scripts/examples.ts";
import { atEnd } from "../ending.ts";

let used: Awaited<ReturnType<typeof openSite>> | undefined;
atEnd(() => used?.close());

/**
 * Runs on the sample site as earlier runs of this file left it; if that fails, again on a new one, which decides. For
 * checks that hold on any site where their call succeeds: a site of its own for each takes ten times as long. One at a
 * time.
 */
export async function onUsedSite<T>(use: (site: Site) => Promise<T>): Promise<T> {
  if (used) {
    try {
      return await use(used);
    } catch {
      await used.close();
    }
  }
  used = await openSite();
  return use(used);
}
