import { Alert, Anchor } from "@mantine/core";
import { CircleAlert } from "lucide-react";
import type { StagedRow } from "../../../client/src/api.ts";
import type { DataFault } from "../../../client/src/client.ts";
import type { NamedEntry } from "../api/release.ts";
import { addressOf, Link } from "../ui/location.tsx";

const mostNamed = 20;

type NamedProps = { title: string; entries: readonly NamedEntry[]; rows: readonly StagedRow[] };

/** The entries that a refusal names, with links to them. */
export function NamedEntries({ title, entries, rows }: NamedProps) {
  if (entries.length === 0) return null;
  return (
    <Alert color="red" icon={<CircleAlert size={18} />} title={title} role="alert" mb="md">
      <ul className="plain-list">
        {entries.slice(0, mostNamed).map((entry) => (
          <li key={entry.id}>
            <Anchor component={Link} href={addressOf("entries", entry.id)} inherit c="inherit" underline="always">
              {rows.find(({ id }) => id === entry.id)?.title || entry.id}
            </Anchor>
            {reasonOf(entry)}
          </li>
        ))}
        {entries.length > mostNamed && <li>and {entries.length - mostNamed} more</li>}
      </ul>
    </Alert>
  );
}

/** The faults of its data in short, or what the service says. */
function reasonOf({ faults = [], detail }: NamedEntry): string {
  const said = (faults as DataFault[]).map(({ pointer, message }) => `${pointer.slice(1)} ${message}`.trim());
  const reason = said.length > 0 ? said.join("; ") : detail;
  return reason === undefined ? "" : `: ${reason}`;
}
