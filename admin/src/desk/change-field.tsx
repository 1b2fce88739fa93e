import { Autocomplete, Select, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import type { BatchOperation } from "../../../client/src/client.ts";
import { type Entry, type TaggedEntry, titleOf } from "../api/entry.ts";
import { isObject, type Json, type JsonObject, parseJson, parseNumber } from "../api/json.ts";
import { say, sayMany } from "../language/say.ts";
import { readTagged } from "../model/bulk/tagged.ts";
import { doTogether } from "../model/bulk/together.ts";
import { type FilterField, fieldOf } from "../model/filter/filter-field.ts";
import { momentAt } from "../model/filter/moment.ts";
import { segmentOf, valueAt } from "../model/form/pointer.ts";
import { rereadAll } from "../query/entry.ts";
import type { FieldHint } from "../type/typed-list.tsx";
import { FormDialog } from "../ui/dialog.tsx";
import { notifyFailed, offerUndo } from "../ui/undo.tsx";
import { EntryChoice } from "./entry-choice.tsx";

type ChangeFieldProps = {
  entries: readonly Entry[];
  hints: readonly FieldHint[];
  /** Called with the entries that could not be changed. */
  onDone(failed: Entry[]): void;
  onClose(): void;
};

const kinds = { text: say("Text"), number: say("Number"), yes: say("Yes or no"), json: "JSON" };
type Kind = keyof typeof kinds;

/** In seconds, unlike the dates of types. */
const publishDate = "published_at";

/** Gives one field of several entries another value: of all or of none, with an undo. */
export function ChangeField({ entries: selected, hints, onDone, onClose }: ChangeFieldProps) {
  // What was asked stays: the list is read again.
  const [entries] = useState(selected);
  const [typed, setTyped] = useState("");
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState<Kind>();
  const fields = [...ownFields, ...hints.filter(({ key }) => ownFields.every((own) => own.key !== key))];
  const field = fieldOf(fields, typed);
  const kind = chosen ?? kindOf(entries, field.key, field.kind);
  const value = newValueOf(field, kind, text);
  const count = sayMany(entries.length, "{count} entry", "{count} entries");
  return (
    <FormDialog
      title={say("Change a field of {count}", { count })}
      submit={say("Change {count}", { count })}
      isDisabled={field.key === "" || value === undefined}
      onSubmit={async () => onDone(await changeAll(entries, field, value as Json))}
      onClose={onClose}
    >
      <Autocomplete
        label={say("Field")}
        data={[...new Set(fields.map(({ name }) => name))]}
        value={typed}
        onChange={(next) => {
          setTyped(next);
          if (fieldOf(fields, next).key !== field.key) setText("");
        }}
        data-autofocus
        required
      />
      <NewValue field={field} kind={kind} text={text} isOdd={value === undefined} onKind={setChosen} onText={setText} />
      <Text size="xs" c="dimmed">
        {say("What is live changes at once.")}
      </Text>
    </FormDialog>
  );
}

/** What every entry has. */
const ownFields: readonly FilterField[] = [
  { key: "title", name: say("Title"), kind: "text" },
  { key: publishDate, name: say("Publish date"), kind: "moment" },
];

type NewValueProps = {
  field: FilterField;
  kind: Kind;
  text: string;
  /** The text is no value of the kind. */
  isOdd: boolean;
  onKind(kind: Kind): void;
  onText(text: string): void;
};

const label = say("New value");

function NewValue({ field, kind, text, isOdd, onKind, onText }: NewValueProps) {
  if (field.types && field.kind === "entry")
    return <EntryChoice label={label} hasLabel value={text} types={field.types} onChange={onText} />;
  if (field.options)
    return <Select label={label} data={field.options} value={text || null} onChange={(next) => onText(next ?? "")} />;
  const type = inputs[field.kind];
  return (
    <>
      {!type && (
        <Select
          label={say("Kind of value")}
          data={Object.entries(kinds).map(([value, label]) => ({ value, label }))}
          value={kind}
          allowDeselect={false}
          onChange={(next) => onKind(next as Kind)}
        />
      )}
      <TextInput
        label={label}
        type={type}
        value={text}
        error={text !== "" && isOdd ? say("This is no {kinds}", { kinds: kinds[kind] }) : undefined}
        onChange={(event) => onText(event.currentTarget.value)}
      />
    </>
  );
}

const inputs: Partial<Record<FilterField["kind"], string>> = { day: "date", moment: "datetime-local" };

/** Undefined for a text that is no such value. */
function newValueOf({ key, kind: known, options }: FilterField, kind: Kind, text: string): Json | undefined {
  if (known === "choice" && options?.some(({ value, isText }) => isText && value === text)) return text;
  if (!(known in inputs) && known !== "entry") return readValue(kind, text);
  if (text === "") return undefined;
  if (known !== "moment") return text;
  const moment = momentAt(text);
  return key === publishDate ? Date.parse(moment) / 1000 : moment;
}

/** Answers the entries that could not be changed. */
async function changeAll(entries: readonly Entry[], { key, name }: FilterField, value: Json): Promise<Entry[]> {
  const { found, failures } = await readTagged(entries);
  const made = await doTogether(found, nameOf, ({ entry, tag }) => patchOf(entry, key, value, tag));
  await rereadAll();
  notifyFailed(say("Not changed"), failures);
  notifyFailed(say("Not changed"), made);
  const done = found.filter((before) => !made.failed.includes(before));
  const tags = new Map(done.map((before, i) => [before, made.etags[i] as string]));
  const undo = async (): Promise<void> => {
    const back = (before: TaggedEntry) => backOf(before, key, tags.get(before) as string);
    notifyFailed(say("Not undone"), await doTogether(done, nameOf, back));
    await rereadAll();
  };
  if (done.length > 0)
    offerUndo(
      say("Changed {name} of", { name }),
      sayMany(done.length, "{count} entry", "{count} entries"),
      () => void undo(),
    );
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

/** A field in a group is merged into it: the others of the group stay. */
function patchOf({ slug }: Entry, key: string, value: Json, ifMatch: string): BatchOperation {
  const data = key.split(".").reduceRight<Json>((inside, name) => ({ [name]: inside }), value) as JsonObject;
  const mergePatch = key.includes(".") || undefined;
  return { call: "PATCH /api/entries", args: { id: slug, data }, mergePatch, ...(ifMatch !== "" && { ifMatch }) };
}

/** A field that was not there is taken away by a restore of the content before. */
function backOf({ entry }: TaggedEntry, key: string, ifMatch: string): BatchOperation {
  const before = valueAt(entry, key.split(".").map(segmentOf).join(""));
  if (before !== undefined && !(key.includes(".") && (before === null || isObject(before))))
    return patchOf(entry, key, before, ifMatch);
  const revision = Number.parseInt(/"([0-9a-z]+)/.exec(ifMatch)?.[1] ?? "", 36) - 1;
  return { call: "POST /api/entries/restore", args: { id: entry.slug, revision }, ifMatch };
}
