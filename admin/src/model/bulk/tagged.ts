import { condition } from "../../../../client/src/client.ts";
import { type Entry, listEntries, readEntry, type TaggedEntry, titleOf } from "../../api/entry.ts";
import { say } from "../../language/say.ts";
import { doEach, type Failures } from "./each.ts";

/** More are read by lists, which have no ETags. */
const mostTagged = 20;
/** As many values as a condition takes. */
const mostListed = 100;

/**
 * Reads entries again before they are changed together; `check` throws for one that is not to be changed. Few have the ETags
 * that their changes name; of more the tag is empty.
 */
export async function readTagged(
  entries: readonly Entry[],
  check: (read: TaggedEntry, entry: Entry) => void = () => undefined,
): Promise<{ found: TaggedEntry[]; failures: Failures<Entry> }> {
  const listed = entries.length > mostTagged ? await listAgain(entries) : undefined;
  const found: TaggedEntry[] = [];
  const failures = await doEach(entries, titleOf, async (entry) => {
    const read = listed ? listed.get(entry.slug) : await readEntry(entry.slug);
    if (!read) throw new Error(say("Someone else moved or deleted it meanwhile"));
    check(read, entry);
    found.push(read);
  });
  return { found, failures };
}

async function listAgain(entries: readonly Entry[]): Promise<Map<string, TaggedEntry>> {
  const slugs = entries.map(({ slug }) => slug);
  const read = new Map<string, TaggedEntry>();
  for (let at = 0; at < slugs.length; at += mostListed) {
    const filter = condition("slug", "in", slugs.slice(at, at + mostListed));
    const { items } = await listEntries("", { filter, depth: "*", limit: mostListed });
    for (const entry of items) read.set(entry.slug, { entry, tag: "" });
  }
  return read;
}
