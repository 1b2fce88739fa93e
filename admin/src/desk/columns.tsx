import { Button } from "@mantine/core";
import { Columns3 } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import type { Entry } from "../api/entry.ts";
import { formatJson } from "../api/json.ts";
import { say } from "../language/say.ts";
import { usePreference } from "../session/preference.ts";
import type { TypedList } from "../type/typed-list.tsx";
import { Ago } from "../ui/time.tsx";
import type { DeskColumn } from "./column.ts";
import type { ColumnDialogProps } from "./column-dialog.tsx";

/** The columns of a table of entries: which there are, and which somebody chose. */

const moment = (field: "published_at" | "modified_at" | "created_at", label: string): DeskColumn => ({
  ...{ field, label, isSortable: true, isQuiet: true },
  show: (entry) => <Ago seconds={entry[field]} />,
});

const serviceColumns: readonly DeskColumn[] = [
  { field: "visibility", label: say("State"), isSortable: true },
  moment("published_at", say("Published")),
  moment("modified_at", say("Changed")),
  moment("created_at", say("Created")),
];

/** Shown elsewhere, or too long for a line. */
const elsewhere = new Set([
  ...["title", "slug", "content", "published_at", "modified_at", "created_at", "visibility", "uuid", "routable"],
  ...["fieldset", "published_by", "created_by"],
]);

/** All columns that a table of these entries can have: those of the service, of their type, and of their other fields. */
export function columnsOf(entries: readonly Entry[], typed: TypedList | undefined): DeskColumn[] {
  const known = new Set([...elsewhere, ...(typed?.columns.map(({ field }) => field) ?? [])]);
  const others = [...new Set(entries.flatMap(Object.keys))].filter((key) => !known.has(key)).sort();
  const names = new Map(typed?.hints.map(({ key, name }) => [key, name]));
  const plain = others.map(
    (field): DeskColumn => ({
      ...{ field, label: names.get(field) ?? field, isSortable: !field.includes(".") },
      show: (entry) => <Plain value={Object.hasOwn(entry, field) ? entry[field] : undefined} />,
    }),
  );
  return [...serviceColumns, ...(typed?.columns ?? []), ...plain];
}

const mostShown = 120;

function Plain({ value }: { value: Entry[string] | undefined }) {
  if (value === undefined || value === null) return null;
  const isTexts = Array.isArray(value) && value.every((one) => typeof one === "string");
  const text = isTexts ? value.join(", ") : typeof value === "string" ? value : formatJson(value);
  const shown = text.length > mostShown ? `${text.slice(0, mostShown).toWellFormed()}…` : text;
  return (
    <span className="typed-value" dir="auto" title={shown}>
      {shown}
    </span>
  );
}

export type Columns = {
  /** The names of the columns that somebody chose; empty for the usual ones. */
  chosen: readonly string[];
  /** Those of a view that was opened. */
  opened: readonly string[] | undefined;
  /** Shows others, and keeps them for the entries below the path. */
  choose(names: readonly string[]): void;
  /** Shows those of a view. */
  open(names: readonly string[]): void;
};

const none: readonly string[] = [];

/** The columns for the entries below a path; `inAddress` are those that the address names. */
export function useColumns(path: string, inAddress: string | null): Columns {
  const [kept, keep] = usePreference<readonly string[]>(`columns:${path}`, none);
  const [opened, open] = useState(() => inAddress?.split(",").filter(Boolean));
  return {
    chosen: opened ?? kept,
    opened,
    choose: (names) => {
      open(undefined);
      keep(names);
    },
    open: (names) => open([...names]),
  };
}

const ColumnDialog = lazy(async () => ({ default: (await import("./column-dialog.tsx")).ColumnDialog }));

type ButtonProps = Pick<ColumnDialogProps, "all" | "shown" | "isUsual" | "onChange">;

export function ColumnsButton(props: ButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        size="compact-sm"
        variant="subtle"
        aria-label={say("Columns")}
        leftSection={<Columns3 size={14} />}
        onClick={() => setOpen(true)}
      >
        {say("Columns")}
      </Button>
      {isOpen && (
        <Suspense>
          <ColumnDialog {...props} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

/** The usual columns, before anybody chose others; in a language the state of the translation has a column of its own. */
export const usualColumns = (typed: TypedList | undefined, locale: string | undefined): string[] => [
  ...(locale === undefined ? ["visibility"] : []),
  ...(typed?.columns.slice(0, typed.usual).map(({ field }) => field) ?? []),
  "published_at",
  "modified_at",
];
