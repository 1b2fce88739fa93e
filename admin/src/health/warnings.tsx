import { Alert, Stack } from "@mantine/core";
import { CircleAlert, Clock, Webhook } from "lucide-react";
import type { Stats } from "../../../client/src/api.ts";
import { formatDuration, plural } from "../model/format.ts";
import { addressOf, Link } from "../ui/location.tsx";

/** Warnings that need an operator's action. */
export function Warnings({ stats }: { stats: Stats }) {
  const behindSeconds = stats.clock_behind_seconds ?? 0;
  const failed = stats.webhooks_failed ?? 0;
  return (
    <Stack gap="md" mb={stats.store_state === "damaged" || behindSeconds > 0 || failed > 0 ? "md" : 0}>
      {stats.store_state === "damaged" && (
        <Alert color="red" icon={<CircleAlert size={18} />} title="The database is damaged" role="alert">
          <p>
            Writes are refused until it is repaired; undamaged content can be read. Stop the service, copy its folder,
            then restore the last backup or recover the file, as in docs/operations.md, “A damaged database”.
          </p>
          <pre className="faults">{stats.store_faults}</pre>
        </Alert>
      )}
      {failed > 0 && (
        <Alert color="yellow" icon={<Webhook size={18} />} title={`${plural(failed, "webhook")} failed`} role="alert">
          Nothing is sent to {failed === 1 ? "its address" : "their addresses"} until it is switched on again on the
          page <Link href={addressOf("webhooks")}>Webhooks</Link>, where its last answers are.
        </Alert>
      )}
      {behindSeconds > 0 && (
        <Alert color="yellow" icon={<Clock size={18} />} title="The clock is behind what was written" role="alert">
          The newest event is {formatDuration(behindSeconds)} ahead of the clock of this machine: the clock was ahead,
          or is behind now. {plural(stats.future_entries ?? 0, "entry", "entries")} published meanwhile cannot be read
          by delivery tokens until then, unless you set an earlier time of publishing.
        </Alert>
      )}
    </Stack>
  );
}
