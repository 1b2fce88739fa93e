import { Autocomplete, Select, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import type { BatchOperation } from "../../../client/src/client.ts";
import { type Entry, type TaggedEntry, titleOf } from "../api/entry.ts";
import { type Json, parseJson, parseNumber } from "../api/json.ts";
import { readTagged } from "../model/bulk/tagged.ts";
import { doTogether } from "../model/bulk/together.ts";
import { type FilterField, fieldOf } from "../model/filter/filter-field.ts";
import { plural } from "../model/format.ts";
import { rereadAll } from "../query/entry.ts";
import type { FieldHint } from "../type/typed-list.tsx";
import { FormDialog } from "../ui/dialog.tsx";
import { notifyFailed, offerUndo } from "../ui/undo.tsx";

type ChangeFieldProps = {
  entries: readonly Entry[];
  hints: readonly FieldHint[];
  /** Called with the entries that could not be changed. */
  onDone(failed: Entry[]): void;
  onClose(): void;
};

const kinds = { text: "Text", number: "Number", yes: "Yes or no", json: "JSON" };
type Kind = keyof typeof kinds;

/** Gives one field of several entries another value: of all or of none, with an undo. */
export function ChangeField({ entries: selected, hints, onDone, onClose }: ChangeFieldProps) {
  // What was asked stays: the list is read again.
  const [entries] = useState(selected);
  const [typed, setTyped] = useState("");
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState<Kind>();
  const fields = [{ key: "title", name: "Title", kind: "text" as const }, ...hints].filter(
    ({ key }) => !key.includes("."),
  );
  const field = fieldOf(fields, typed);
  const kind = chosen ?? kindOf(entries, field.key, field.kind);
  const value = readValue(kind, text);
  const count = plural(entries.length, "entry", "entries");
  return (
    <FormDialog
      title={`Change a field of ${count}`}
      submit={`Change ${count}`}
      isDisabled={field.key === "" || value === undefined}
      onSubmit={async () => onDone(await changeAll(entries, field, value as Json))}
      onClose={onClose}
    >
      <Autocomplete
        label="Field"
        data={[...new Set(fields.map(({ name }) => name))]}
        value={typed}
        onChange={setTyped}
        data-autofocus
        required
      />
      {field.options ? (
        <Select label="New value" data={field.options} value={text || null} onChange={(next) => setText(next ?? "")} />
      ) : (
        <>
          <Select
            label="Kind of value"
            data={Object.entries(kinds).map(([value, label]) => ({ value, label }))}
            value={kind}
            allowDeselect={false}
            onChange={(next) => setChosen(next as Kind)}
          />
          <TextInput
            label="New value"
            type={field.kind === "day" ? "date" : "text"}
            value={text}
            error={text !== "" && value === undefined ? `This is no ${kinds[kind]}` : undefined}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        </>
      )}
      <Text size="xs" c="dimmed">
        What is live changes at once.
      </Text>
    </FormDialog>
  );
}

/** Answers the entries that could not be changed. */
async function changeAll(entries: readonly Entry[], { key, name }: FilterField, value: Json): Promise<Entry[]> {
  const { found, failures } = await readTagged(entries);
  const made = await doTogether(found, nameOf, ({ entry, tag }) => patchOf(entry, { [key]: value }, tag));
  await rereadAll();
  notifyFailed("Not changed", failures);
  notifyFailed("Not changed", made);
  const done = found.filter((before) => !made.failed.includes(before));
  const tags = new Map(done.map((before, i) => [before, made.etags[i] as string]));
  const undo = async (): Promise<void> => {
    const back = (before: TaggedEntry) => backOf(before, key, tags.get(before) as string);
    notifyFailed("Not undone", await doTogether(done, nameOf, back));
    await rereadAll();
  };
  if (done.length > 0) offerUndo(`Changed ${name} of`, plural(done.length, "entry", "entries"), () => void undo());
  return [...failures.failed, ...made.failed.map(({ entry }) => entry)];
}

function kindOf(entries: readonly Entry[], key: string, known: string): Kind {
  if (known === "number") return "number";
  const present = entries
    .map((entry) => (Object.hasOwn(entry, key) ? entry[key] : undefined))
    .find((one) => one != null);
  if (known !== "any" || present === undefined || typeof present === "string")
    return known === "choice" ? "json" : "text";
  return typeof present === "number" ? "number" : typeof present === "boolean" ? "yes" : "json";
}

/** Undefined for a text that is no such value. */
function readValue(kind: Kind, text: string): Json | undefined {
  if (kind === "text") return text;
  if (kind === "number") return parseNumber(text.trim());
  if (kind === "yes") return { yes: true, true: true, no: false, false: false }[text.trim().toLowerCase()];
  try {
    return parseJson(text);
  } catch {
    // The value of a choice.
    return text === "" ? undefined : text;
  }
}

const nameOf = ({ entry }: TaggedEntry): string => titleOf(entry);

const patchOf = ({ slug }: Entry, data: Record<string, Json>, ifMatch: string): BatchOperation => ({
  ...{ call: "PATCH /api/entries", args: { id: slug, data }, ...(ifMatch !== "" && { ifMatch }) },
});

/** A field that was not there is taken away by a restore of the content before. */
function backOf({ entry }: TaggedEntry, key: string, ifMatch: string): BatchOperation {
  if (Object.hasOwn(entry, key)) return patchOf(entry, { [key]: entry[key] as Json }, ifMatch);
  const revision = Number.parseInt(/"([0-9a-z]+)/.exec(ifMatch)?.[1] ?? "", 36) - 1;
  return { call: "POST /api/entries/restore", args: { id: entry.slug, revision }, ifMatch };
}
