import { hourSeconds } from "../core/lib/time.ts";
import { feature } from "../feature.ts";
import { transferProblems } from "./problems.ts";

/** Uploads that go on, by tus. */

const nouns = async () => ({ transfers: (await import("./store.ts")).transferNoun });

declare module "../core/sql/noun.ts" {
  interface Ports extends PortsOf<typeof nouns> {}
}

export const transferFeature = feature({
  name: "transfer",
  nouns,
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
