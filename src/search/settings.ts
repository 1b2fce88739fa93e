import { choice, text } from "../core/lib/setting.ts";

/** The settings of searches. */

export const searchSettings = {
  search: choice(["on", "off"], {
    default: "on",
    help: "Whether words of entries and files are kept for /api/entries/search and its like; without them these answer 409.",
  }),
  search_language: text({
    default: "",
    pattern: /^[a-z]{2,3}$/,
    accepted: "a language code, as en, or nothing",
    help: "The language of entries without the setting `locales`: its words are found in other forms, too.",
  }),
};
