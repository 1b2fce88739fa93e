import { Button, Checkbox, Group, Stack, Text } from "@mantine/core";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { say } from "../language/say.ts";
import { Dialog } from "../ui/dialog.tsx";
import { MoveButtons } from "../ui/move-buttons.tsx";
import type { DeskColumn } from "./column.ts";

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
  const seen = useSeen(shown, isUsual);
  const chosen = seen.flatMap((name) => all.find(({ field }) => field === name) ?? []);
  const others = all.filter(({ field }) => !seen.includes(field));
  const names = chosen.map(({ field }) => field);
  const move = (from: number, to: number): void => {
    const after = [...names];
    const [name = ""] = after.splice(from, 1);
    after.splice(to, 0, name);
    onChange(after);
  };
  const group = useRef<HTMLDivElement>(null);
  const [toggled, setToggled] = useState<string>();
  // The box is another one in its new place, and takes the focus along.
  useEffect(() => {
    if (toggled !== undefined)
      group.current?.querySelector<HTMLElement>(`[data-box="${CSS.escape(toggled)}"]`)?.focus();
    setToggled(undefined);
  }, [toggled]);
  const toggle = (field: string, isShown: boolean): void => {
    onChange(isShown ? [...names, field] : names.filter((name) => name !== field));
    setToggled(field);
  };
  return (
    <Dialog title={say("Columns")} onClose={onClose}>
      <Stack gap={4} role="group" aria-label={say("Columns of the table")} ref={group}>
        {chosen.map(({ field, label }, at) => (
          <Group key={field} gap={4} wrap="nowrap">
            <Checkbox flex={1} label={label} data-box={field} checked onChange={() => toggle(field, false)} />
            <MoveButtons index={at} count={names.length} name={label} onMove={move} />
          </Group>
        ))}
        {chosen.length === 0 && (
          <Text size="sm" c="dimmed">
            {say("Only the title.")}
          </Text>
        )}
        {others.map(({ field, label }) => (
          <Group key={field} mih={28}>
            <Checkbox label={label} data-box={field} checked={false} onChange={() => toggle(field, true)} />
          </Group>
        ))}
      </Stack>
      <Group justify="space-between" mt="md">
        <Button variant="default" disabled={isUsual} onClick={() => onChange([])}>
          {say("The usual ones")}
        </Button>
        <Button onClick={onClose}>{say("Done")}</Button>
      </Group>
    </Dialog>
  );
}

/** Those of the columns that the table shows: of the usual ones as many as it has room for, of chosen ones all. */
function useSeen(shown: readonly string[], isUsual: boolean): readonly string[] {
  const [seen, setSeen] = useState(shown);
  useLayoutEffect(() => {
    const look = (): void => setSeen(isUsual ? shown.filter(isSeen) : shown);
    look();
    const table = document.querySelector(".entry-table");
    const observer = new ResizeObserver(look);
    if (table) observer.observe(table);
    return () => observer.disconnect();
  }, [shown, isUsual]);
  return isUsual ? seen : shown;
}

const isSeen = (field: string): boolean =>
  document.querySelector(`.entry-table th[data-field="${CSS.escape(field)}"]`)?.getClientRects().length === 1;
