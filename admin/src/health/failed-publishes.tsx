import { Alert, Anchor } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { CalendarX } from "lucide-react";
import type { LogEvent } from "../../../client/src/api.ts";
import { octavo } from "../api/octavo.ts";
import { say, sayMany } from "../language/say.ts";
import { formatMoment } from "../model/format.ts";
import { addressOf, Link } from "../ui/location.tsx";

const daysBack = 7;
/** The log has no filter by kind; a failure before the newest writes is not shown. */
const eventsRead = 1000;
const everyMs = 60_000;

/** Entries whose scheduled publication failed lately, and that were neither published, scheduled nor discarded since. */
export function FailedPublishes() {
  const { data: failed = [] } = useQuery({
    queryKey: ["events", "publish_failed"],
    queryFn: async () => failuresOf(await octavo.events({ newest: true, limit: eventsRead })),
    refetchInterval: everyMs,
  });
  if (failed.length === 0) return null;
  return (
    <Alert
      color="yellow"
      icon={<CalendarX size={18} />}
      title={sayMany(
        failed.length,
        "{count} entry was not published on time",
        "{count} entries were not published on time",
      )}
      mb="md"
      role="alert"
    >
      {say(
        "The changes are kept as a working copy without a time; they could not be applied to the live entry. Publish the entry by hand to see why.",
      )}
      <ul>
        {failed.map(({ subject, at }) => (
          <li key={subject}>
            <Anchor component={Link} href={addressOf("entries", subject)} c="inherit" inherit underline="always">
              {subject}
            </Anchor>
            , {formatMoment(at)}
          </li>
        ))}
      </ul>
    </Alert>
  );
}

const settled = new Set(["entry.publish", "entry.schedule", "entry.discard", "entry.delete", "entry.move"]);

/** The last failure of each entry, from events with the newest first. */
function failuresOf(events: readonly LogEvent[]): LogEvent[] {
  const from = Date.now() / 1000 - daysBack * 86_400;
  const latest = new Map<string, LogEvent>();
  for (const event of events) {
    const isOne = event.kind === "entry.publish_failed" || settled.has(event.kind);
    if (isOne && event.at >= from && !latest.has(event.subject)) latest.set(event.subject, event);
  }
  return [...latest.values()].filter(({ kind }) => kind === "entry.publish_failed");
}
