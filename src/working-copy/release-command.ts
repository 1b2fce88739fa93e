import { asUsage, type Command } from "../cli/command.ts";
import { formatTime } from "../cli/print.ts";
import { commandOf, commandsOnOne, type Row, type Sent } from "../cli/row.ts";
import { parseReleaseTitle, type releaseFields } from "./release.ts";
import { type CopyFields, copyTable, readAt, readEntry, timeOptions } from "./staged-command.ts";

const details = "RELEASE is its id, as `octavo release list` prints it. May run beside a running service.";
const id = "4f8a61c2-0b7d-4e95-9c38-d216e5a7b043";

const onRelease = commandsOnOne({ noun: "release", word: "RELEASE", example: id, details });

export const releaseCommands: Command[] = [
  commandOf<Fields[] | CopyFields[]>({
    name: "release list",
    summary: "List the releases, newest first, or what is in one",
    details,
    takes: ["[RELEASE]"],
    examples: ["octavo release list", `octavo release list ${id}`],
    route: ({ id }) => (id === undefined ? "GET /api/releases" : "GET /api/releases/entries"),
    send: ({ positionals: [id] }) => ({ id }),
    show: (rows, { id }) => (id === undefined ? shownReleases(rows as Fields[]) : shownEntries(rows as CopyFields[])),
  }),
  commandOf<Fields>({
    name: "release create",
    summary: "Create a release",
    takes: ["TITLE"],
    examples: ["octavo release create 'Spring campaign'"],
    route: "POST /api/releases",
    send: ({ positionals: [title = ""] }) => ({ title: readTitle(title) }),
    show: (json) => ({ json, text: json.id }),
  }),
  commandOf({
    name: "release add",
    summary: "Take the working copy of an entry, or a draft, into a release",
    details,
    takes: ["RELEASE", "ENTRY"],
    examples: [`octavo release add ${id} movies/alien`],
    ...moved(([release = "", entry]) => ({ id: readEntry(entry), release })),
  }),
  commandOf({
    name: "release remove",
    summary: "Take the working copy of an entry out of its release",
    takes: ["ENTRY"],
    examples: ["octavo release remove movies/alien"],
    ...moved(([entry]) => ({ id: readEntry(entry), release: null })),
  }),
  onRelease<Fields>("publish", {
    summary: "Publish all entries of a release together, now or at a time",
    details: `A time that has passed publishes now. ${details}`,
    options: { ...timeOptions, "dry-run": { help: "Check it, and publish nothing." } },
    examples: [`octavo release publish ${id}`, `octavo release publish ${id} --at 2040-01-15T09:00:00Z`],
    route: "POST /api/releases/publish",
    send: (call) => ({
      at: readAt(call),
      current: call.switches.has("current"),
      dry_run: call.switches.has("dry-run"),
    }),
    show: (json, sent) => ({ json, text: `${json.title} ${published(json, sent)}.` }),
  }),
  onRelease<Fields>("undo", {
    summary: "Give the entries of a published release what they had before",
    route: "POST /api/releases/undo",
    show: (json) => ({ json, text: `${json.title} is open again.` }),
  }),
  onRelease("delete", {
    summary: "Delete a release; its working copies stay",
    route: "DELETE /api/releases",
    show: (_, { id }) => ({ json: { id, deleted: true }, text: "The release is deleted." }),
  }),
];

/** As the routes answer it. */
type Fields = ReturnType<typeof releaseFields>;

const readTitle = (sent: string): string =>
  asUsage(
    () => parseReleaseTitle(sent),
    () => "TITLE",
  );

function published({ state, at }: Fields, { dry_run: isDryRun }: Sent): string {
  if (isDryRun) return "can be published";
  if (state === "published") return "is published";
  return at === undefined ? "has no time" : `is published at ${formatTime(at)}`;
}

function shownReleases(rows: Fields[]) {
  const heads = ["RELEASE", "TITLE", "STATE", "ENTRIES", "AT"];
  return { json: { releases: rows }, table: { head: heads, rows: rows.map(rowOf), none: "There are no releases." } };
}

const rowOf = ({ id, title, state, count, at }: Fields): string[] => [
  id,
  title,
  state,
  String(count),
  at === undefined ? "" : formatTime(at),
];

const shownEntries = (rows: CopyFields[]) => ({
  json: { entries: rows },
  table: copyTable(rows, "There is nothing in it."),
});

/** Moves a working copy into a release or out of it; makes one where there is none. */
function moved(send: (words: readonly string[]) => Sent): Pick<Row<unknown>, "route" | "send" | "show"> {
  return {
    route: "PATCH /api/entries/staged",
    send: ({ positionals }) => send(positionals),
    show: (_, { id, release }) => ({
      json: { id, release },
      text: release === null ? `${id} is in no release.` : `${id} is in the release.`,
    }),
  };
}
