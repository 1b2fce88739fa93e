import { Button, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import type { Entry } from "../api/entry.ts";
import { say } from "../language/say.ts";
import { changedKeys, changesOf, draftOf } from "../model/draft/draft.ts";
import type { ConcurrentChange, DraftEdit, SaveState } from "../model/draft/editing.ts";
import { inForm, ThreeTexts } from "../publish/three-texts.tsx";
import { useEntryShape } from "../query/entry-shape.ts";
import { Dialog } from "../ui/dialog.tsx";

type ConflictEditing = DraftEdit & SaveState & Pick<ConcurrentChange, "saveOnTop" | "closeConflict">;
type Choice = "mine" | "theirs";

const options = { mine: say("Yours"), theirs: say("Theirs") };

/** A concurrent change of the entry: shows both changes and asks of each field that both changed which one to keep. */
export function Conflict({ editing, theirs }: { editing: ConflictEditing; theirs: Entry }) {
  const { base, draft } = editing;
  const shape = useEntryShape(base);
  const before = draftOf(base);
  const after = draftOf(theirs);
  const mine = changedKeys(changesOf(before, draft));
  const others = changedKeys(changesOf(before, after));
  const both = mine.filter((key) => others.includes(key));
  const [choices, setChoices] = useState<ReadonlyMap<string, Choice>>(new Map());
  const given = both.filter((key) => choices.get(key) === "theirs");
  const isNothingLeft = given.length === mine.length;
  const save = (): void => (isNothingLeft ? editing.discard() : void editing.saveOnTop(given));
  return (
    <Dialog onClose={editing.closeConflict} title={say("Someone else saved meanwhile")} size={760}>
      <Stack>
        <Text size="sm">{say("It was changed elsewhere after you opened it. Nothing of yours is saved yet.")}</Text>
        {[...new Set([...both, ...others, ...mine])].map((key) => {
          const [name, show] = inForm(key, shape);
          const choice = choices.get(key) ?? "mine";
          return (
            <ThreeTexts
              key={key}
              name={name}
              texts={{
                "As it was": show(before[key]),
                ...(others.includes(key) && { Theirs: show(after[key]) }),
                ...(mine.includes(key) && { Yours: show(draft[key]) }),
              }}
              question={
                both.includes(key)
                  ? {
                      ...{ label: say("Keep for {name}", { name }), options, choice },
                      onChoose: (chosen) => setChoices(new Map([...choices, [key, chosen]])),
                    }
                  : undefined
              }
            />
          );
        })}
        <Text size="xs" c="dimmed">
          {say("What only one of you changed is kept.")}
        </Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={editing.closeConflict}>
            {say("Go on editing")}
          </Button>
          <Button variant="default" onClick={editing.discard}>
            {say("Take theirs")}
          </Button>
          <Button onClick={save} loading={editing.isSaving}>
            {given.length === 0 ? say("Save yours on top") : say("Save what is chosen")}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
