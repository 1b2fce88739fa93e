import { type JsonObject, toJson } from "../src/core/lib/json.ts";
import type { TranslatedEntry } from "../src/translation/xliff/unit.ts";

/** An entry as translators' files have it. */
export const entryOf = (source: object, target?: object, outdated: string[] = []): TranslatedEntry => ({
  uuid: "uuid",
  id: "blog",
  title: "Blog",
  source: toJson(source) as JsonObject,
  target: target && (toJson(target) as JsonObject),
  outdated: new Set(outdated),
});
