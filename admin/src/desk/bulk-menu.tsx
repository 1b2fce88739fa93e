import { ActionIcon, Menu } from "@mantine/core";
import { CalendarClock, Ellipsis, FileJson, Layers, PencilLine, Sheet } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import type { Entry } from "../api/entry.ts";
import { say } from "../language/say.ts";
import type { FieldHint } from "../type/typed-list.tsx";
import { download } from "./download.ts";
import type { ExportDialogProps } from "./export-dialog.tsx";

const AddSelected = lazy(async () => ({ default: (await import("../release/add-selected.tsx")).AddSelected }));
const ExportDialog = lazy(async () => ({ default: (await import("./export-dialog.tsx")).ExportDialog }));
const ChangeField = lazy(async () => ({ default: (await import("./change-field.tsx")).ChangeField }));

type BulkMenuProps = {
  things: readonly Entry[];
  hints: readonly FieldHint[];
  /** The columns of the table. */
  shown: ExportDialogProps["shown"];
  onSchedule(): void;
  onDone(failed: readonly Entry[]): void;
  rest(): void;
};

/** Actions on the selected entries that are rarer. */
export function BulkMenu({ things, hints, shown, onSchedule, onDone, rest }: BulkMenuProps) {
  const [asked, ask] = useState<"release" | "field" | "csv">();
  const close = (): void => {
    ask(undefined);
    rest();
  };
  const save = async (): Promise<void> => {
    const { jsonOf } = await import("../model/table/export.ts");
    download("entries.json", "application/json", jsonOf(things));
  };
  return (
    <>
      <Menu>
        <Menu.Target>
          <ActionIcon size={30} variant="default" aria-label={say("More for the selection")}>
            <Ellipsis size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<CalendarClock size={15} />} onClick={onSchedule}>
            {say("Schedule…")}
          </Menu.Item>
          <Menu.Item leftSection={<Layers size={15} />} onClick={() => ask("release")}>
            {say("Add to a release…")}
          </Menu.Item>
          <Menu.Item leftSection={<PencilLine size={15} />} onClick={() => ask("field")}>
            {say("Change a field…")}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item leftSection={<FileJson size={15} />} onClick={() => void save()}>
            {say("Export as JSON")}
          </Menu.Item>
          <Menu.Item leftSection={<Sheet size={15} />} onClick={() => ask("csv")}>
            {say("Export as CSV…")}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Suspense>
        {asked === "release" && <AddSelected entries={things} onDone={onDone} onClose={close} />}
        {asked === "csv" && <ExportDialog entries={things} shown={shown} fields={hints} onClose={close} />}
        {asked === "field" && <ChangeField entries={things} hints={hints} onDone={onDone} onClose={close} />}
      </Suspense>
    </>
  );
}
