import { OctavoProblem } from "./problem.ts";
import type { Change, ChangeOptions, Entry, Mirror, MirrorOptions } from "./public.ts";
import { pause } from "./retry.ts";
import type { Transport } from "./transport.ts";

/** What is public, as it changes. */

const defaultEveryMs = 1000;

export async function* changes(
  transport: Transport,
  { cursor, only, locale, limit, follow = true, everyMs = defaultEveryMs, signal }: ChangeOptions = {},
): AsyncGenerator<Change, void, undefined> {
  for (;;) {
    const page = await pageOf(transport, { cursor, only, locale, limit }, signal);
    const { data } = page;
    // Until the last change of a page is handled, a restart begins with that page.
    for (const [i, change] of data.entries()) yield { ...change, cursor: i < data.length - 1 ? cursor : page.cursor };
    cursor = page.cursor;
    if (page.has_more) continue;
    if (!follow) return;
    await pause(everyMs, signal);
  }
}

const pageOf = (transport: Transport, query: object, signal: AbortSignal | undefined) =>
  transport.reply<Omit<Change, "cursor">[]>("GET /api/delivery/changes", query, { signal });

export async function mirror(transport: Transport, options: MirrorOptions = {}): Promise<Mirror> {
  const stopped = new AbortController();
  const signal = options.signal ? AbortSignal.any([stopped.signal, options.signal]) : stopped.signal;
  let entries = new Map<string, Entry>();
  let cursor: string | undefined;
  const kept: Mirror = { entries, stop: () => stopped.abort() };
  const next = async () => {
    let isChanged = kept.entries !== entries;
    for (let hasMore: boolean | undefined = true; hasMore; ) {
      const page = await pageOf(transport, { limit: 1000, cursor, locale: options.locale }, signal);
      for (const change of page.data as Change[]) {
        if (change.op === "put") entries.set(change.uuid, change.entry as Entry);
        else entries.delete(change.uuid);
        isChanged = true;
      }
      // Of a page without changes, too: else each page reads again what others have written, until the log ends before it.
      cursor = page.cursor;
      hasMore = page.has_more;
    }
    kept.entries = entries;
    if (isChanged) options.onChange?.(kept);
  };
  const follow = async () => {
    for (;;) {
      await pause(options.everyMs ?? defaultEveryMs, signal);
      await next().catch((failure: unknown) => {
        if (signal.aborted) return;
        // The log no longer has what is missing: the old map stays until the new one is complete.
        if (failure instanceof OctavoProblem && failure.status === 410) [entries, cursor] = [new Map(), undefined];
        else options.onFailure?.(failure);
      });
    }
  };
  await next();
  follow().catch(() => undefined);
  return kept;
}
