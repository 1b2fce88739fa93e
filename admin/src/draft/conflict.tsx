import { Button, Code, Group, Stack, Table, Text } from "@mantine/core";
import type { Entry } from "../api/entry.ts";
import { formatJson, type Json } from "../api/json.ts";
import { changedKeys, changesOf, draftOf } from "../model/draft/draft.ts";
import type { ConcurrentChange, DraftEdit, SaveState } from "../model/draft/editing.ts";
import { Dialog } from "../ui/dialog.tsx";

type ConflictEditing = DraftEdit & SaveState & Pick<ConcurrentChange, "saveOnTop" | "closeConflict">;

/** A concurrent change of the entry: shows both changes and asks which one to keep. */
export function Conflict({ editing, theirs }: { editing: ConflictEditing; theirs: Entry }) {
  const { base, draft } = editing;
  const before = draftOf(base);
  const after = draftOf(theirs);
  const mine = changedKeys(changesOf(before, draft));
  const others = changedKeys(changesOf(before, after));
  const keys = [...new Set([...mine, ...others])];
  return (
    <Dialog onClose={editing.closeConflict} title="Someone else saved meanwhile" size="lg">
      <Stack>
        <Text size="sm">It was changed elsewhere after you opened it. Nothing of yours is saved yet.</Text>
        <div className="panel table-panel">
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Field</Table.Th>
                <Table.Th>Theirs</Table.Th>
                <Table.Th>Yours</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {keys.map((key) => (
                <Table.Tr key={key}>
                  <Table.Td>{key}</Table.Td>
                  <Value value={after[key]} isChanged={others.includes(key)} />
                  <Value value={draft[key]} isChanged={mine.includes(key)} />
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
        <Text size="xs" c="dimmed">
          Yours on top: the fields you changed become yours, all others stay theirs.
        </Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={editing.closeConflict}>
            Go on editing
          </Button>
          <Button variant="default" onClick={editing.discard}>
            Take theirs
          </Button>
          <Button onClick={() => void editing.saveOnTop()} loading={editing.isSaving}>
            Save yours on top
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

function Value({ value, isChanged }: { value: Json | undefined; isChanged: boolean }) {
  const text = value === undefined ? "" : formatJson(value);
  return (
    <Table.Td>
      {isChanged ? (
        <Code className="conflict-value">{shorten(text) || "removed"}</Code>
      ) : (
        <Text c="dimmed" size="xs">
          unchanged
        </Text>
      )}
    </Table.Td>
  );
}

const shorten = (text: string): string => (text.length > 160 ? `${text.slice(0, 160)}…` : text);
