import { type Entry, readEntry, type TaggedEntry, titleOf } from "../api/entry.ts";
import { doEach, type Failures } from "../ui/each.ts";

const atOnce = 8;

/** Reads entries again, with the ETags that their changes name; `check` throws for one that is not to be changed. */
export async function readTagged(
  entries: readonly Entry[],
  check: (read: TaggedEntry, entry: Entry) => void = () => undefined,
): Promise<{ found: TaggedEntry[]; failures: Failures<Entry> }> {
  const read = new Map<Entry, TaggedEntry>();
  const queue = [...entries];
  const lane = async (): Promise<Failures<Entry>[]> => {
    const failures: Failures<Entry>[] = [];
    for (let entry = queue.shift(); entry; entry = queue.shift()) {
      const one = entry;
      failures.push(
        await doEach([one], titleOf, async () => {
          const tagged = await readEntry(one.slug);
          check(tagged, one);
          read.set(one, tagged);
        }),
      );
    }
    return failures;
  };
  const all = (await Promise.all(Array.from({ length: atOnce }, lane))).flat();
  return {
    found: entries.flatMap((entry) => read.get(entry) ?? []),
    failures: {
      failed: all.flatMap(({ failed }) => failed),
      message: all.flatMap(({ message }) => message || []).join("\n"),
      errors: all.flatMap(({ errors }) => errors),
    },
  };
}
