import { Button, Checkbox, Group, Text } from "@mantine/core";
import { type LucideIcon, X } from "lucide-react";
import { type ReactNode, useRef } from "react";
import { say } from "../language/say.ts";
import { useWritesLive } from "../session-context.ts";
import type { Selection } from "./selection.ts";

type SelectionBarProps<T> = {
  selection: Selection<T>;
  /** The number of items in words, shown while none is selected. */
  count: string;
  total: number;
  /** In which something is done with several; undefined for the source. */
  locale?: string | undefined;
  /** Beside the number. */
  more?(rest: () => void): ReactNode;
  /** Actions on the selected items; `rest` moves the focus to the bar when it would be lost. */
  actions(rest: () => void): ReactNode;
};

/** Above a list: the number of items, or the number of selected items with their actions. */
export function SelectionBar<T>({ selection, count, total, locale, more, actions }: SelectionBarProps<T>) {
  const all = useRef<HTMLInputElement>(null);
  const { things, isAll, toggleAll, select } = selection;
  const isActive = things.length > 0;
  const rest = (): void => all.current?.focus();
  const mayPublish = useWritesLive(locale);
  return (
    <section className="selection-bar" aria-label={say("Selection")}>
      {mayPublish && (
        <Checkbox
          ref={all}
          aria-label={say("Select all")}
          checked={isAll && isActive}
          indeterminate={isActive && !isAll}
          onChange={toggleAll}
        />
      )}
      <Text size="xs" c="dimmed" aria-live="polite">
        {isActive
          ? isAll && total > things.length
            ? say("{count} of {total} selected", { count: things.length, total })
            : say("{count} selected", { count: things.length })
          : count}
      </Text>
      {more?.(rest)}
      {/* Not unmounted: a dialog of an action reports failures when nothing is selected any more. */}
      <Group className="selection-actions" gap={6} wrap="nowrap" ms="auto" display={isActive ? undefined : "none"}>
        {actions(rest)}
        <SelectionAction
          label={say("Clear")}
          icon={X}
          onAct={() => {
            select([]);
            rest();
          }}
        />
      </Group>
    </section>
  );
}

type ActionProps = { label: string; icon: LucideIcon; isBusy?: boolean; onAct(): void };

export function SelectionAction({ label, icon: Icon, isBusy, onAct }: ActionProps) {
  return (
    <Button
      size="xs"
      variant="default"
      aria-label={label}
      title={label}
      leftSection={<Icon size={15} />}
      loading={isBusy}
      onClick={onAct}
    >
      {label}
    </Button>
  );
}
