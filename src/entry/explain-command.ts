import { withAsk } from "../cli/ask.ts";
import { asUsage, type Command, type CommandCall, jsonOption, UsageError } from "../cli/command.ts";
import { formatTime, print, printJson } from "../cli/print.ts";
import { bodyOf } from "../cli/refusal.ts";
import { printShown } from "../cli/row.ts";
import { callSettings } from "../cli/setting-sources.ts";
import { nowSeconds, withExistingStores } from "../cli/store.ts";
import { accessOf } from "../core/access/access.ts";
import { parseUrlEncoded } from "../core/lib/brackets.ts";
import { isJsonObject } from "../core/lib/json.ts";
import { byteLengthOf } from "../core/lib/long-text.ts";
import { parseCollection } from "../core/list/list.ts";
import { parsePathBelowRoot, rootPath } from "../core/path.ts";
import type { Settings } from "../settings.ts";
import { timeFields } from "./field.ts";

export const explainCommand: Command = {
  name: "explain",
  summary: "Show how a list of entries is read: by which index, and how many entries it reads",
  details:
    "QUERY is the part of the request's address after the ?: id, filter and cursor. With q it is that of a search as a\n" +
    "management token makes it: shown is what each match is worth in the rules of the order.",
  takes: ["QUERY"],
  options: {
    management: { help: "As a management token reads it, in place of a delivery token." },
    json: jsonOption,
  },
  examples: [
    "octavo explain 'id=movies&filter[order_by][field]=year&filter[order_by][direction]=desc&filter[limit]=10'",
    "octavo explain 'id=movies&filter[where][key]=year&filter[where][value]=1979&filter[where][expr]=eq' --management",
    "octavo explain 'q=lem&id=movies'",
  ],
  run: explain,
};

const caps = { maxPairs: 1000, maxDepth: 8, maxItems: 1000 };

async function explain(call: CommandCall): Promise<void> {
  const [sent = ""] = call.positionals;
  if (new URLSearchParams(sent).has("q")) return explainSearch(call, sent.replace(/^\?/, ""));
  const settings = callSettings(call);
  const kind = call.switches.has("management") ? "management" : "delivery";
  const query = readQuery(sent, settings);
  const access = accessOf({ kind }, nowSeconds());
  await withExistingStores(settings, async ({ entries }) => {
    const startMs = performance.now();
    const { plan = "", json } = await entries.list(query, access);
    const milliseconds = Number((performance.now() - startMs).toFixed(1));
    const bytes = byteLengthOf(json);
    if (call.switches.has("json")) printJson(call, { plan, milliseconds, bytes });
    else print(call, `${plan}\n${milliseconds} ms, ${bytes} bytes`);
  });
}

function readQuery(text: string, { collectionLimit, collectionLimitMax }: Settings) {
  return asUsage(
    () => {
      const sent = parseUrlEncoded(text.replace(/^\?/, ""), caps);
      const id = sent.get("id") ?? "";
      if (typeof id !== "string") throw new UsageError("QUERY has more than one id; expected one");
      const filter = sent.get("filter");
      const args = new Map(isJsonObject(filter) ? filter : []);
      const cursor = sent.get("cursor");
      if (cursor !== undefined) args.set("cursor", cursor);
      const path = id === "" ? rootPath : parsePathBelowRoot("id", id);
      const bounds = { maxLimit: collectionLimitMax, defaultLimit: collectionLimit, times: timeFields };
      return parseCollection(path, args, bounds);
    },
    (argument) => `QUERY: ${argument}`,
  );
}

/** What a match is worth in each rule of the order, in their order. */
type Why = Record<"words" | "typos" | "weight" | "nearness" | "whole" | "published_at", number>;

async function explainSearch(call: CommandCall, query: string): Promise<void> {
  const url = `/api/entries/search?${query}`;
  const body = await withAsk(call, async (ask) => bodyOf(await ask({ method: "GET", url })));
  const { matches } = JSON.parse(body) as { matches: { id: string; why: Why }[] };
  const rows = matches.map(({ id, why: { published_at, ...why } }) => [
    id,
    ...Object.values(why).map(String),
    formatTime(published_at),
  ]);
  const head = ["ENTRY", "WORDS", "TYPOS", "WEIGHT", "NEARNESS", "WHOLE", "PUBLISHED AT"];
  printShown(call, { json: { matches }, table: { head, rows, none: "Nothing has these words." } });
}
