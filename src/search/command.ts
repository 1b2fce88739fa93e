import { foreignAnswer, withAsk } from "../cli/ask.ts";
import { type Command, type CommandCall, jsonOption, UsageError } from "../cli/command.ts";
import { warn } from "../cli/print.ts";
import { bodyOf } from "../cli/refusal.ts";
import { urlOption } from "../cli/remote.ts";
import { printShown, type Shown } from "../cli/row.ts";

/** What a search has found, as its route answers it. */
type FoundBody = {
  data: { title?: unknown; filename?: unknown }[];
  matches: { id: string; fields: string[] }[];
  total: number;
  dropped: string[];
};

export const searchCommands: Command[] = [
  {
    name: "search",
    summary: "Find entries or files by words, the best first",
    details:
      'All words must be there, the last one also as a beginning. "a phrase" stands as it is; -word takes away, behind --.\n' +
      "With --json the answer has highlights and facets, too. May run beside a running service.",
    takes: ["WORDS..."],
    options: {
      id: { value: "PATH", help: "The entry below which, or with --files the folder in which is searched." },
      locale: { value: "LOCALE", help: "What entries say in this locale." },
      limit: { value: "COUNT", help: "How many; 20 without it, at most 100." },
      facets: { value: "FIELDS", help: "Count the values of these fields, with commas; for --json." },
      staged: { help: "With working copies laid over." },
      files: { help: "Search files." },
      url: urlOption,
      json: jsonOption,
    },
    examples: [
      "octavo search lem",
      `octavo search '"above an ocean"' --id movies`,
      "octavo search --json --facets genres -- solaris -cyberiad",
    ],
    run,
  },
];

async function run(call: CommandCall): Promise<void> {
  const url = addressOf(call);
  const body = await withAsk(call, async (ask) => bodyOf(await ask({ method: "GET", url })));
  const found = readFound(body);
  if (found.dropped.length > 0) warn(call, `nothing has all words; left out: ${found.dropped.join(" ")}`);
  printShown(call, shown(found));
}

function addressOf({ positionals, options, switches }: CommandCall): string {
  const { id, locale, limit, facets } = options;
  const [isFiles, isStaged] = [switches.has("files"), switches.has("staged")];
  if (isFiles && isStaged) throw new UsageError("--files and --staged cannot be combined");
  const path = isFiles ? "/api/files/search" : `/api/entries/${isStaged ? "staged/" : ""}search`;
  const sent = { q: positionals.join(" "), [isFiles ? "path" : "id"]: id, locale, limit, facets };
  const given = Object.entries(sent).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return `${path}?${new URLSearchParams(given)}`;
}

/** Throws CommandError for what is no answer of a search. */
function readFound(body: string): FoundBody {
  try {
    const found = JSON.parse(body) as FoundBody;
    if (Array.isArray(found.matches)) return found;
  } catch {
    // The same failure as for JSON of another form.
  }
  throw foreignAnswer();
}

const shown = (found: FoundBody): Shown => ({
  json: found,
  table: {
    head: ["ID", "TITLE", "FOUND IN"],
    rows: found.matches.map(({ id, fields }, i) => [id, titleOf(found.data[i]), fields.join(", ")]),
    none: "Nothing has these words.",
  },
});

const titleOf = ({ title }: FoundBody["data"][number] = {}): string => (typeof title === "string" ? title : "");
