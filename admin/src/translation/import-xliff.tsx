import { Anchor, Button, FileButton, Stack, Text } from "@mantine/core";
import { Upload } from "lucide-react";
import { type ReactNode, useRef, useState } from "react";
import type { XliffOutcome } from "../../../client/src/api.ts";
import { importXliff } from "../api/translation.ts";
import { say, sayMany } from "../language/say.ts";
import { rereadAll } from "../query/entry.ts";
import { useSession } from "../session-context.ts";
import { Dialog } from "../ui/dialog.tsx";
import { addressOf, Link } from "../ui/location.tsx";
import { refresh } from "../ui/query.ts";
import { notifyFailure } from "../ui/state.tsx";

/** Takes a file of a translator back: what it has becomes unpublished changes. */
export function ImportXliff() {
  const mayWrite = useSession().token.writes !== "none";
  const [isBusy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<XliffOutcome>();
  const again = useRef<() => void>(null);
  const take = async (file: globalThis.File | null): Promise<void> => {
    if (!file) return;
    setBusy(true);
    try {
      setOutcome(await importXliff(file));
      await Promise.all([rereadAll(), refresh("staged", "translations")]);
    } catch (error) {
      notifyFailure(error);
    }
    again.current?.();
    setBusy(false);
  };
  if (!mayWrite) return null;
  return (
    <>
      <FileButton onChange={(file) => void take(file)} accept=".xliff,.xlf,.xml" resetRef={again}>
        {(props) => (
          <Button {...props} variant="default" leftSection={<Upload size={15} />} loading={isBusy}>
            {say("Import XLIFF")}
          </Button>
        )}
      </FileButton>
      {outcome && <Outcome outcome={outcome} onClose={() => setOutcome(undefined)} />}
    </>
  );
}

function Outcome({ outcome, onClose }: { outcome: XliffOutcome; onClose(): void }) {
  const { applied, unchanged, outdated, partial, unknown, refused } = outcome;
  return (
    <Dialog onClose={onClose} title={say("What the file brought")}>
      <Stack gap="md">
        <Text size="sm">
          {say("{applied} translated, not published yet. {unchanged} unchanged.", {
            applied: sayMany(applied, "{count} text", "{count} texts"),
            unchanged: sayMany(unchanged, "{count} text", "{count} texts"),
          })}
        </Text>
        <Part title={say("Not taken: the source has changed since the file was made")} ids={idsOf(outdated)} />
        <Part title={say("Only partly translated")} ids={idsOf(partial)} />
        <Part title={say("Not taken")} ids={refused.map(({ id }) => id)}>
          {refused.map(({ detail }) => detail)}
        </Part>
        {unknown.length > 0 && (
          <Text size="sm">
            {sayMany(
              unknown.length,
              "{count} text of the file are not in the store.",
              "{count} texts of the file are not in the store.",
            )}
          </Text>
        )}
      </Stack>
    </Dialog>
  );
}

const idsOf = (places: readonly { id: string }[]): string[] => [...new Set(places.map(({ id }) => id))];

/** Most entries that are named. */
const mostNamed = 50;

type PartProps = { title: string; ids: readonly string[]; children?: readonly ReactNode[] };

function Part({ title, ids, children = [] }: PartProps) {
  if (ids.length === 0) return null;
  return (
    <section aria-label={title}>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      <ul className="outcome">
        {ids.slice(0, mostNamed).map((id, i) => (
          <li key={id}>
            <Anchor component={Link} href={addressOf("entries", id)} size="sm" className="count-link mono">
              {id}
            </Anchor>{" "}
            {children[i]}
          </li>
        ))}
      </ul>
      {ids.length > mostNamed && (
        <Text size="xs">{sayMany(ids.length - mostNamed, "and {count} more entry", "and {count} more entries")}</Text>
      )}
    </section>
  );
}
