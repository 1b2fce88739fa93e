import { Button, Group, Radio, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useEffect, useRef, useState } from "react";
import type { Migration } from "../../../client/src/client.ts";
import { octavo } from "../api/octavo.ts";
import { say, sayMany } from "../language/say.ts";
import { type Fate, type FieldChange, stepsOf } from "../model/type/field-change.ts";
import { Dialog } from "../ui/dialog.tsx";
import { sayParts } from "../ui/say-parts.tsx";
import { Failure, Loading } from "../ui/state.tsx";
import { offerMigrationUndo, type TypeEditing } from "./use-type-draft.ts";

type FieldChangeDialogProps = {
  editing: TypeEditing;
  changes: readonly FieldChange[];
  /** Goes on to save what is left, where anything is. */
  onGoOn(): void;
  onClose(): void;
};

const usualFate = ({ to }: FieldChange): Fate => (to === undefined ? "keep" : { to });
const tryFate = ({ to }: FieldChange): Fate => (to === undefined ? "drop" : { to });

/** Says how many entries have what the draft renames and removes, and asks what becomes of it. */
export function FieldChangeDialog({ editing, changes, onGoOn, onClose }: FieldChangeDialogProps) {
  const { id } = editing;
  const steps = stepsOf(
    id,
    changes.map((change) => [change, tryFate(change)]),
  );
  const { data, error, isFetching } = useQuery({
    queryKey: ["field changes", id, steps],
    queryFn: ({ signal }) => octavo.types.migrate(steps, { dryRun: true, signal }),
    gcTime: 0,
    staleTime: 0,
    refetchOnWindowFocus: false,
  });
  const found = data && changes.filter((_, i) => hasAny(data.steps[i]));
  const isUnused = !isFetching && (found?.length === 0 || error !== null);
  const goOn = useRef(onGoOn);
  goOn.current = onGoOn;
  useEffect(() => {
    if (isUnused) goOn.current();
  }, [isUnused]);
  return (
    <Dialog title={say("Fields that entries have")} size="lg" onClose={onClose}>
      {isFetching || !data || isUnused ? (
        <Loading rows={3} />
      ) : (
        <Choices
          editing={editing}
          changes={changes}
          tried={data}
          // As the editor is once the migration is done.
          onGoOn={() => goOn.current()}
          onClose={onClose}
        />
      )}
    </Dialog>
  );
}

type StepCount = Migration["steps"][number];
const hasAny = (step: StepCount | undefined): boolean =>
  step !== undefined && step.entries + step.copies + step.failing > 0;

/** How many have the field: `12 entries and 1 working copy have title`. */
function haveWords({ entries, copies, failing }: StepCount, name: ReactNode): ReactNode {
  const live = entries + failing;
  const things = sayMany(live, "{count} entry", "{count} entries");
  const changed = sayMany(copies, "{count} working copy", "{count} working copies");
  if (copies > 0) return sayParts("{entries} and {copies} have {name}", { entries: things, copies: changed, name });
  return live === 1
    ? sayParts("{entries} has {name}", { entries: things, name })
    : sayParts("{entries} have {name}", { entries: things, name });
}

function Choices({ editing, changes, tried, onGoOn, onClose }: FieldChangeDialogProps & { tried: Migration }) {
  const [fates, setFates] = useState(() => changes.map(usualFate));
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const save = async (): Promise<void> => {
    const steps = stepsOf(
      editing.id,
      changes.map((change, i) => [change, fates[i] as Fate]),
    );
    if (steps.length === 0) return onGoOn();
    setBusy(true);
    setError(undefined);
    try {
      const migrated = await editing.migrate(steps);
      if (migrated) offerMigrationUndo(editing, migrated.done, migrated.left);
      if (!migrated || migrated.isSaved) onClose();
      else onGoOn();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Stack gap="md">
      {changes.map((change, i) =>
        hasAny(tried.steps[i]) ? (
          <FateInput
            key={change.from}
            change={change}
            count={tried.steps[i] as StepCount}
            fate={fates[i] as Fate}
            onChange={(fate) => setFates(fates.with(i, fate))}
          />
        ) : null,
      )}
      {error !== undefined && <Failure error={error} title={say("Nothing is changed")} />}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose} data-autofocus>
          {say("Go on editing")}
        </Button>
        <Button onClick={() => void save()} loading={isBusy}>
          {say("Save")}
        </Button>
      </Group>
    </Stack>
  );
}

type FateInputProps = { change: FieldChange; count: StepCount; fate: Fate; onChange(fate: Fate): void };

const nameOf = (pointer: string): string => pointer.slice(1).replaceAll("/*", "").replaceAll("/", ".");

/** What becomes of one field. */
function FateInput({ change: { from, to, added }, count, fate, onChange }: FateInputProps) {
  const places = to === undefined ? added : [to];
  const value = typeof fate === "string" ? fate : fate.to;
  const choose = (chosen: string): void => onChange(chosen === "keep" || chosen === "drop" ? chosen : { to: chosen });
  const isRemoved = to === undefined;
  return (
    <Radio.Group label={haveWords(count, <b>{nameOf(from)}</b>)} value={value} onChange={choose}>
      <Stack gap={6} mt={6}>
        {places.map((place) => (
          <Radio key={place} value={place} label={say("Rename it to {name} in them", { name: nameOf(place) })} />
        ))}
        {isRemoved && <Radio value="drop" label={say("Remove it from them")} />}
        <Radio value="keep" label={say("Leave it in them as {name}", { name: nameOf(from) })} />
      </Stack>
      <Text size="xs" c="dimmed" mt={4}>
        {say("Working copies change, too. Earlier versions stay as they were.")}
      </Text>
    </Radio.Group>
  );
}
