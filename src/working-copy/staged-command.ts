import { asUsage, type Command, type CommandCall, UsageError } from "../cli/command.ts";
import { formatTime } from "../cli/print.ts";
import { commandOf, type Sent, type Shown, type Table } from "../cli/row.ts";
import { nowSeconds } from "../cli/store.ts";
import { parseTime } from "../core/lib/time.ts";
import { parsePathBelowRoot, type Slug } from "../core/path.ts";
import type { stagedFields } from "./staged.ts";

/** When something is published, and whether it may put back what was corrected live. */
export const timeOptions = {
  at: { value: "TIME", help: "When: Unix seconds or an ISO 8601 date; the service publishes it then." },
  current: { help: "Refuse it if keys were changed live since they were staged." },
  unschedule: { help: "Take the time back instead." },
};

const inLocale = {
  locale: { value: "LOCALE", help: "The copy of its translation into this locale." },
};

export const stagedCommands: Command[] = [
  commandOf<CopyFields[]>({
    name: "staged list",
    summary: "List the entries that have a working copy",
    takes: [],
    examples: ["octavo staged list", "octavo staged list --json"],
    route: "GET /api/entries/staged/list",
    show: (staged) => ({
      json: { staged },
      table: copyTable(staged, "There are no working copies."),
    }),
  }),
  commandOf({
    name: "staged publish",
    summary: "Publish the working copy of an entry, or a draft, now or at a time",
    details: "A time that has passed publishes now. May run beside a running service.",
    takes: ["ENTRY"],
    options: { ...timeOptions, ...inLocale },
    examples: [
      "octavo staged publish movies/alien",
      "octavo staged publish movies/alien --at 2040-01-15T09:00:00Z",
      "octavo staged publish movies/stalker --locale de",
    ],
    route: "POST /api/entries/publish",
    send: (call) => ({
      ...namedCopy(call),
      at: readAt(call),
      current: call.switches.has("current"),
    }),
    show: (_, sent) => shownPublished(sent),
  }),
  commandOf({
    name: "staged discard",
    summary: "Drop the working copy of an entry",
    takes: ["ENTRY"],
    options: inLocale,
    examples: ["octavo staged discard movies/alien"],
    route: "DELETE /api/entries/staged",
    send: namedCopy,
    show: (_, { id }) => ({ json: { id, discarded: true }, text: `${id} has no working copy any more.` }),
  }),
];

/** As the routes answer it. */
export type CopyFields = ReturnType<typeof stagedFields>;

function shownPublished({ id, at }: Sent): Shown {
  if (at === null) return { json: { id, published: false, publish_at: null }, text: `${id} has no time any more.` };
  if (typeof at === "number" && at > nowSeconds())
    return { json: { id, published: false, publish_at: at }, text: `${id} is published at ${formatTime(at)}.` };
  return { json: { id, published: true, publish_at: null }, text: `${id} is published.` };
}

// ---------------------------------------------------------------------------------------------- arguments, rows

/** Throws UsageError. */
export const readEntry = (entry = ""): Slug =>
  asUsage(
    () => parsePathBelowRoot("ENTRY", entry),
    () => "ENTRY",
  );

/** The entry, and the locale of its translation. */
function namedCopy({ positionals: [entry], options: { locale } }: CommandCall): Sent {
  return { id: readEntry(entry), ...(locale !== undefined && { locale }) };
}

/** Undefined for now, null for no time any more. */
export function readAt({ options: { at }, switches }: CommandCall): number | null | undefined {
  if (switches.has("unschedule")) {
    if (at !== undefined) throw new UsageError("--at and --unschedule cannot be combined");
    return null;
  }
  const seconds = at === undefined ? undefined : parseTime(at);
  if (at !== undefined && seconds === undefined)
    throw new UsageError(`--at was "${at}"; expected Unix seconds or a date`);
  return seconds;
}

/** Copies, one a row; with their locales where some are of translations. */
export function copyTable(copies: readonly CopyFields[], none: string): Table {
  const hasLocales = copies.some(({ locale }) => locale !== undefined);
  return {
    head: ["ENTRY", ...(hasLocales ? ["LOCALE"] : []), "STAGED", "BY", "PUBLISHED AT", "OUTDATED"],
    rows: copies.map(({ id, locale = "", staged_at, staged_by, publish_at, outdated }) => [
      id,
      ...(hasLocales ? [locale] : []),
      formatTime(staged_at),
      staged_by,
      publish_at === null ? "" : formatTime(publish_at),
      outdated.join(", "),
    ]),
    none,
  };
}
