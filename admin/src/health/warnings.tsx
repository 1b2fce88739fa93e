import { Alert, Stack } from "@mantine/core";
import { CircleAlert, Clock, Webhook } from "lucide-react";
import type { Stats } from "../../../client/src/api.ts";
import { say, sayMany } from "../language/say.ts";
import { formatDuration } from "../model/format.ts";
import { addressOf, Link } from "../ui/location.tsx";
import { sayParts } from "../ui/say-parts.tsx";

/** Warnings that need an operator's action. */
export function Warnings({ stats }: { stats: Stats }) {
  const behindSeconds = stats.clock_behind_seconds ?? 0;
  const failed = stats.webhooks_failed ?? 0;
  const page = <Link href={addressOf("webhooks")}>{say("Webhooks")}</Link>;
  return (
    <Stack gap="md" mb={stats.store_state === "damaged" || behindSeconds > 0 || failed > 0 ? "md" : 0}>
      {stats.store_state === "damaged" && (
        <Alert color="red" icon={<CircleAlert size={18} />} title={say("The database is damaged")} role="alert">
          <p>
            {say(
              "Writes are refused until it is repaired; undamaged content can be read. Stop the service, copy its folder, then restore the last backup or recover the file, as in docs/operations.md, “A damaged database”.",
            )}
          </p>
          <pre className="faults">{stats.store_faults}</pre>
        </Alert>
      )}
      {failed > 0 && (
        <Alert
          color="yellow"
          icon={<Webhook size={18} />}
          title={sayMany(failed, "{count} webhook failed", "{count} webhooks failed")}
          role="alert"
        >
          {failed === 1
            ? sayParts(
                "Nothing is sent to its address until it is switched on again on the page {page}, where its last answers are.",
                { page },
              )
            : sayParts(
                "Nothing is sent to their addresses until it is switched on again on the page {page}, where its last answers are.",
                { page },
              )}
        </Alert>
      )}
      {behindSeconds > 0 && (
        <Alert
          color="yellow"
          icon={<Clock size={18} />}
          title={say("The clock is behind what was written")}
          role="alert"
        >
          {sayMany(
            stats.future_entries ?? 0,
            "The newest event is {duration} ahead of the clock of this machine: the clock was ahead, or is behind now. {count} entry published meanwhile cannot be read by delivery tokens until then, unless you set an earlier time of publishing.",
            "The newest event is {duration} ahead of the clock of this machine: the clock was ahead, or is behind now. {count} entries published meanwhile cannot be read by delivery tokens until then, unless you set an earlier time of publishing.",
            { duration: formatDuration(behindSeconds) },
          )}
        </Alert>
      )}
    </Stack>
  );
}
