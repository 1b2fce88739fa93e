import { openSite, type Site } from "../../scripts/examples.ts";
import { atEnd } from "../ending.ts";

type Opened = Awaited<ReturnType<typeof openSite>>;
/** While it opens, too: suites that are declared at once ask for it at once. */
let used: Promise<Opened> | undefined;
atEnd(async () => (await used)?.close());

/**
 * Runs on the sample site as earlier runs of this file left it; if that fails, again on a new one, which decides. For
 * checks that hold on any site where their call succeeds: a site of its own for each takes ten times as long. One at a
 * time.
 */
export async function onUsedSite<T>(use: (site: Site) => Promise<T>): Promise<T> {
  if (used) {
    const site = await used;
    try {
      return await use(site);
    } catch {
      await site.close();
    }
  }
  used = openSite();
  return use(await used);
}
