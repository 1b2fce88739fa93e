import { Button, Group, Text } from "@mantine/core";
import { useDebouncedValue, useDisclosure } from "@mantine/hooks";
import { Plus } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { say } from "../language/say.ts";
import { useTypes } from "../query/types.ts";
import { useWrites } from "../session-context.ts";
import { Dialog } from "../ui/dialog.tsx";
import { SearchInput } from "../ui/search-input.tsx";
import { EntriesOfTypes } from "./entries-of-types.tsx";
import { EntryLevel } from "./entry-level.tsx";
import { FoundEntries } from "./found-entries.tsx";
import { moveInRows } from "./rows.ts";

const NewEntry = lazy(async () => ({ default: (await import("../create/new-entry.tsx")).NewEntry }));

type EntryPickerProps = {
  /** Ids of types: only their entries are offered. All entries by default. */
  types?: readonly string[] | undefined;
  onPick(id: string): void;
  /** Also called after a choice. */
  onClose(): void;
};

/** A dialog to choose an entry: by a search, in the tree, or in the list of the entries of some types. */
export function EntryPicker({ types: narrowed = [], onPick, onClose }: EntryPickerProps) {
  const types = useTypes();
  const mayWrite = useWrites();
  const [isMaking, making] = useDisclosure(false);
  const [text, setText] = useState("");
  const [settled] = useDebouncedValue(text.trim(), 200);
  const isNarrowed = narrowed.length > 0;
  const pick = (id: string): void => {
    onPick(id);
    onClose();
  };
  const names = narrowed.map((id) => types?.all.find((type) => type.id === id)?.title || id).join(", ");
  return (
    <Dialog title={say("Choose an entry")} size="lg" onClose={onClose}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the arrows move the focus between controls. */}
      <div onKeyDown={moveInRows}>
        <Group gap="xs" mb="xs" wrap="nowrap">
          <SearchInput
            label={say("Search titles and ids")}
            placeholder={say("A word of the title, or the beginning of an id")}
            value={text}
            onChange={setText}
            data-autofocus
            flex={1}
          />
          {mayWrite && (
            <Button variant="default" leftSection={<Plus size={15} />} onClick={making.open}>
              {narrowed.length === 1 ? say("New {names}…", { names }) : say("New…")}
            </Button>
          )}
        </Group>
        {isNarrowed && (
          <Text size="xs" c="dimmed" mb="xs">
            {say("Only entries of the type {names}", { names })}
          </Text>
        )}
        {settled !== "" ? (
          <FoundEntries text={settled} narrowed={narrowed} types={types} onPick={pick} />
        ) : isNarrowed ? (
          <EntriesOfTypes narrowed={narrowed} types={types} onPick={pick} />
        ) : (
          <EntryLevel onPick={pick} />
        )}
      </div>
      {isMaking && (
        <Suspense>
          <NewEntry only={narrowed} title={text.trim()} onCreated={pick} onClose={making.close} />
        </Suspense>
      )}
    </Dialog>
  );
}
