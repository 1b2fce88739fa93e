import { hourSeconds } from "../core/lib/time.ts";
import type { PortOf } from "../core/sql/noun.ts";
import { feature } from "../feature.ts";
import { transferProblems } from "./problems.ts";
import type { transferNoun } from "./store.ts";

/** Uploads that go on, by tus. */

declare module "../core/sql/noun.ts" {
  interface Ports {
    transfers: PortOf<typeof transferNoun>;
  }
}

export const transferFeature = feature({
  name: "transfer",
  nouns: async () => ({ transfers: (await import("./store.ts")).transferNoun }),
  problems: transferProblems,
  chores: [
    {
      name: "expire unfinished uploads",
      everySeconds: hourSeconds,
      run: async ({ transfers, transferBytes }, { uploadKeepHours }, now) => {
        await transfers.expire(now - uploadKeepHours * hourSeconds, now);
        await transferBytes.sweep((id) => transfers.has(id));
      },
    },
  ],
  serve: async () => (await import("./service.ts")).serveTransfer,
});
