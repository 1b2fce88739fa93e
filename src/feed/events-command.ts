import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { type Command, type CommandCall, UsageError } from "../cli/command.ts";
import { callSettings } from "../cli/setting-sources.ts";
import { withExistingStores } from "../cli/store.ts";
import { eventFields } from "../core/event.ts";

const pageEvents = 500;
const lookEveryMs = 200;

export const eventsCommands: Command[] = [
  {
    name: "events",
    summary: "Print the event log, one JSON object a line",
    details:
      "Oldest first. With --follow it goes on with what is written, by a running service too, until it is ended; without\n" +
      "--since it then begins at the newest event. To go on later, send the last sequence as --since.",
    takes: [],
    options: {
      follow: { help: "Go on with each new event." },
      since: { value: "N", help: "Begin after the event of this sequence." },
    },
    examples: ["octavo events --since 120", "octavo events --follow | jq -r .subject"],
    run: events,
  },
];

async function events(call: CommandCall): Promise<void> {
  const follows = call.switches.has("follow");
  const since = sinceOf(call);
  await withExistingStores(callSettings(call), async ({ events }) => {
    const { oldest, newest } = await events.bounds();
    // A reader that goes on must know that it missed some.
    if (since !== undefined && since < oldest - 1 && follows)
      call.io.stderr.write(`octavo: warning: the events before ${oldest} are no longer kept\n`);
    let sequence = since ?? (follows ? newest : 0);
    let isOpen = true;
    call.io.stdout.once("error", () => {
      isOpen = false;
    });
    while (isOpen) {
      const page = await events.list(sequence, pageEvents);
      for (const event of page) {
        const isTaken = call.io.stdout.write(`${JSON.stringify(eventFields(event))}\n`);
        if (!isTaken) await once(call.io.stdout, "drain").catch(() => undefined);
      }
      sequence = page.at(-1)?.sequence ?? sequence;
      if (page.length === pageEvents) continue;
      if (!follows) return;
      await setTimeout(lookEveryMs);
    }
  });
}

function sinceOf({ options: { since } }: CommandCall): number | undefined {
  if (since === undefined) return undefined;
  if (/^\d{1,15}$/.test(since)) return Number(since);
  throw new UsageError(`--since was "${since}"; expected a sequence, an integer from 0`);
}
