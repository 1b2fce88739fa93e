import { condition } from "../../../client/src/client.ts";
import { type Entry, listEntries } from "../api/entry.ts";

/** As many values as a condition takes. */
const mostListed = 100;

type Waiting = { ids: Set<string>; found: Promise<Map<string, Entry>> };
let waiting: Waiting | undefined;

/**
 * An entry by its id; null when there is none. A list is asked: a read of what is missing would be logged as an error. Those
 * that a page looks for at once, as the references of a table, are one list.
 */
export async function findEntry(id: string): Promise<Entry | null> {
  if (!waiting || waiting.ids.size >= mostListed) {
    const ids = new Set<string>();
    const found = Promise.resolve().then(async () => {
      await new Promise((resolve) => setTimeout(resolve));
      waiting = waiting?.ids === ids ? undefined : waiting;
      return readAll(ids);
    });
    waiting = { ids, found };
  }
  waiting.ids.add(id);
  return (await waiting.found).get(id) ?? null;
}

async function readAll(ids: ReadonlySet<string>): Promise<Map<string, Entry>> {
  const filter = condition("slug", "in", [...ids]);
  const { items } = await listEntries("", { depth: "*", filter, limit: mostListed });
  return new Map(items.map((entry) => [entry.slug, entry]));
}
