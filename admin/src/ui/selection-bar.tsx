import { Button, Checkbox, Group, Text } from "@mantine/core";
import { Copy, FolderInput, type LucideIcon, Trash2, X } from "lucide-react";
import { useRef, useState } from "react";
import { copy, move } from "../api/file.ts";
import { joinPath, nameOf } from "../api/path.ts";
import { doEach } from "../ui/each.ts";
import { plural } from "../ui/format.ts";
import { PathDialog } from "../ui/path-dialog.tsx";
import type { Selection } from "./selection.ts";
import { deleteThings, rereadFiles } from "./thing.ts";

type SelectionBarProps = { folder: string; selection: Selection; count: string; total: number };

/** Above the files: how many there are; or how many are selected, and what can be done with them. */
export function SelectionBar({ folder, selection, count, total }: SelectionBarProps) {
  const [asked, setAsked] = useState<"move" | "copy">();
  const all = useRef<HTMLInputElement>(null);
  const { things, isAll, toggleAll, select } = selection;
  const isActive = things.length > 0;
  // What had the focus may be gone.
  const rest = (): void => all.current?.focus();
  const place = async (goal: string): Promise<void> => {
    const act = asked === "move" ? move : copy;
    const { failed, message } = await doEach(
      things,
      ({ path }) => nameOf(path),
      (thing) => act(thing, joinPath(goal, nameOf(thing.path))),
    );
    await rereadFiles();
    select(failed);
    if (failed.length > 0) throw new Error(message);
  };
  return (
    <section className="selection-bar" aria-label="Selection">
      <Checkbox
        ref={all}
        aria-label="Select all"
        checked={isAll}
        indeterminate={isActive && !isAll}
        onChange={toggleAll}
      />
      <Text size="xs" c="dimmed" aria-live="polite">
        {isActive ? `${things.length}${isAll && total > things.length ? ` of ${total}` : ""} selected` : count}
      </Text>
      {isActive && (
        <Group gap={6} wrap="nowrap" ml="auto">
          <Action label="Move to…" icon={FolderInput} onAct={() => setAsked("move")} />
          <Action label="Copy to…" icon={Copy} onAct={() => setAsked("copy")} />
          <Action
            label="Delete"
            icon={Trash2}
            onAct={() => {
              deleteThings(things);
              rest();
            }}
          />
          <Action
            label="Clear"
            icon={X}
            onAct={() => {
              select([]);
              rest();
            }}
          />
        </Group>
      )}
      {asked && (
        <PathDialog
          title={`${asked === "move" ? "Move" : "Copy"} ${plural(things.length, "item")}`}
          submit={asked === "move" ? "Move" : "Copy"}
          label="Folder"
          initial={folder}
          help="Made when it is missing; empty for the top folder."
          isEmptyAllowed
          onSubmit={place}
          onClose={() => {
            setAsked(undefined);
            rest();
          }}
        />
      )}
    </section>
  );
}

function Action({ label, icon: Icon, onAct }: { label: string; icon: LucideIcon; onAct(): void }) {
  return (
    <Button size="xs" variant="default" aria-label={label} leftSection={<Icon size={15} />} onClick={onAct}>
      {label}
    </Button>
  );
}
