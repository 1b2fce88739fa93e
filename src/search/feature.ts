import type { SettingsOf } from "../core/lib/setting.ts";
import { feature } from "../feature.ts";
import { localesOf } from "../translation/locale.ts";
import { searchProblems } from "./problems.ts";
import { searchSettings } from "./settings.ts";
import { wayOf } from "./way.ts";

/** Searches: words of entries, ranked. */

const nouns = async () => ({ searches: (await import("./store.ts")).searchNoun });

declare module "../core/sql/noun.ts" {
  interface Ports extends PortsOf<typeof nouns> {}
}

declare module "../settings-type.ts" {
  interface Settings extends SettingsOf<typeof searchSettings> {}
}

export const searchFeature = feature({
  name: "search",
  nouns,
  problems: searchProblems,
  settings: searchSettings,
  commands: async () => [
    ...(await import("./command.ts")).searchCommands,
    (await import("./mirror-command.ts")).mirrorCommand,
  ],
  paths: ["/api/entries/search", "/api/entries/staged/search", "/api/files/search"],
  chores: [
    {
      name: "index texts",
      everySeconds: 60,
      // The parts of texts for `contains`, then the words.
      run: async ({ entries, searches }, settings, _now, say) => {
        await entries.indexTexts();
        if (settings.search === "off") return;
        const way = wayOf(localesOf(settings), settings.searchLanguage);
        await searches.index(way, (sentence) => say(sentence, "info"));
        await searches.sweep(way);
      },
    },
  ],
  serve: async () => (await import("./service.ts")).serveSearch,
});
