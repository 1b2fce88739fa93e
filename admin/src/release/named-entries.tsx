import { Alert, Anchor } from "@mantine/core";
import { CircleAlert } from "lucide-react";
import type { StagedRow } from "../../../client/src/api.ts";
import type { DataFault } from "../../../client/src/client.ts";
import type { NamedEntry } from "../api/release.ts";
import { say } from "../language/say.ts";
import { faultText } from "../model/form/faults.ts";
import { useEntryShape } from "../query/entry-shape.ts";
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
            <Reason entry={entry} />
          </li>
        ))}
        {entries.length > mostNamed && <li>{say("and {entries} more", { entries: entries.length - mostNamed })}</li>}
      </ul>
    </Alert>
  );
}

/** The faults of its data by the names of its form, or what the service says. */
function Reason({ entry: { id, faults = [], detail } }: { entry: NamedEntry }) {
  const shape = useEntryShape({ slug: id });
  const said = (faults as DataFault[]).map((fault) => faultText(shape, fault));
  const reason = said.length > 0 ? said.join("; ") : detail;
  return reason === undefined ? null : `: ${reason}`;
}
