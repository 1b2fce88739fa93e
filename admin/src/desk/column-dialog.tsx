import { ActionIcon, Button, Checkbox, Group, Stack, Text } from "@mantine/core";
import { ArrowDown, ArrowUp } from "lucide-react";
import { Dialog } from "../ui/dialog.tsx";
import type { DeskColumn } from "./columns.tsx";

export type ColumnDialogProps = {
  all: readonly DeskColumn[];
  /** The names of the columns that are shown, in their order. */
  shown: readonly string[];
  isUsual: boolean;
  onChange(names: readonly string[]): void;
  onClose(): void;
};

/** Which columns a table has, and in which order. A change is seen at once, and kept. */
export function ColumnDialog({ all, shown, isUsual, onChange, onClose }: ColumnDialogProps) {
  const chosen = shown.flatMap((name) => all.find(({ field }) => field === name) ?? []);
  const others = all.filter(({ field }) => !shown.includes(field));
  const names = chosen.map(({ field }) => field);
  const move = (at: number, by: number): void => {
    const after = [...names];
    const [name = ""] = after.splice(at, 1);
    after.splice(at + by, 0, name);
    onChange(after);
  };
  return (
    <Dialog title="Columns" onClose={onClose}>
      <Stack gap={4} role="group" aria-label="Columns of the table">
        {chosen.map(({ field, label }, at) => (
          <Group key={field} gap={4} wrap="nowrap">
            <Checkbox
              flex={1}
              label={label}
              checked
              onChange={() => onChange(names.filter((name) => name !== field))}
            />
            <ActionIcon disabled={at === 0} onClick={() => move(at, -1)} aria-label={`Move ${label} up`}>
              <ArrowUp size={15} />
            </ActionIcon>
            <ActionIcon
              disabled={at === names.length - 1}
              onClick={() => move(at, 1)}
              aria-label={`Move ${label} down`}
            >
              <ArrowDown size={15} />
            </ActionIcon>
          </Group>
        ))}
        {chosen.length === 0 && (
          <Text size="sm" c="dimmed">
            Only the title.
          </Text>
        )}
        {others.map(({ field, label }) => (
          <Checkbox key={field} mih={28} label={label} checked={false} onChange={() => onChange([...names, field])} />
        ))}
      </Stack>
      <Group justify="space-between" mt="md">
        <Button variant="default" disabled={isUsual} onClick={() => onChange([])}>
          The usual ones
        </Button>
        <Button onClick={onClose}>Done</Button>
      </Group>
    </Dialog>
  );
}
