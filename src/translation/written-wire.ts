import type { Access } from "../core/access/access.ts";
import { type Answer, data } from "../core/http/reply.ts";
import type { MaybePromise } from "../core/lib/maybe-promise.ts";
import type { Slug } from "../core/path.ts";
import { formatRevision } from "../core/revision.ts";
import { type Entry, type FaultyEntry, formatEntry } from "../entry/entry.ts";
import { faultHeaders } from "../entry/staged-header-wire.ts";
import type { CurrentTypes } from "../type/check.ts";
import { type Locales, required } from "./locale.ts";
import { problem } from "./problems.ts";
import { inLocaleOf, localeFacts, localeHeaders } from "./read-wire.ts";
import type { TranslationStore } from "./translation.ts";

/** The answers to writes of translations. */

export type WrittenOptions = {
  locales: Locales | undefined;
  renderer: { current(): MaybePromise<CurrentTypes> };
};

/** The entry as management reads it in the locale, after a write of what it says there; `headers` are more. */
export async function writtenIn(
  store: TranslationStore,
  options: WrittenOptions,
  reader: Access,
  id: Slug,
  locale: string,
  written?: FaultyEntry,
  more: { tag?: string; headers?: readonly string[] } = {},
): Promise<Answer> {
  const locales = required(options.locales);
  const access = inLocaleOf(reader, locales, { locale });
  const [entry] = await store.findAll([id], access, true);
  if (!entry) throw problem("entry_not_found", { id });
  const [facts] = await localeFacts(locales, store, [entry], access, await options.renderer.current());
  const headers = [...(facts ? localeHeaders(facts) : []), ...(more.headers ?? []), ...faultHeaders(written ?? {})];
  return data(formatEntry(entry as Entry), {
    tag: more.tag ?? formatRevision(written?.revision ?? entry.revision),
    headers,
  });
}
