import { ActionIcon, Select, TagsInput, Textarea, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { FolderSearch } from "lucide-react";
import { lazy, Suspense } from "react";
import type { Json, JsonObject } from "../api/json.ts";
import { say } from "../language/say.ts";
import { type Choice, choicesOf } from "../model/type/choices.ts";
import { isTexts } from "../model/type/fields.ts";
import type { FieldKind, Kind } from "../model/type/kind.ts";
import { withKeyword } from "../model/type/schema-edit.ts";
import { KeywordJson, NumberInput } from "./keyword-inputs.tsx";

const EntryPicker = lazy(async () => ({ default: (await import("../picker/entry-picker.tsx")).EntryPicker }));
const MediaPicker = lazy(async () => ({ default: (await import("../picker/media-picker.tsx")).MediaPicker }));

type DefaultInputProps = { kind: FieldKind; schema: JsonObject; onChange(schema: JsonObject): void };

/** What a new entry has in the field. */
export function DefaultInput({ kind: { kind, isList }, schema, onChange }: DefaultInputProps) {
  const value = schema.default;
  const change = (changed: Json | undefined): void => onChange(withKeyword(schema, "default", changed));
  const input = { label: say("Default"), value, onChange: change };
  if (isList && isTextKind(kind) && (value === undefined || isTexts(value)))
    return (
      <TagsInput
        label={say("Default")}
        placeholder={say("Type and press Enter")}
        value={value ?? []}
        onChange={(texts) => change(texts.length > 0 ? texts : undefined)}
      />
    );
  if (isList || isOdd(kind, value)) return <KeywordJson {...input} label={say("Default (JSON)")} />;
  if (kind === "number" || kind === "integer") return <NumberInput {...input} />;
  if (kind === "boolean") return <YesOrNo value={value} onChange={change} />;
  if (isReference(kind)) return <Reference {...input} kind={kind} schema={schema} />;
  return <TextDefault {...input} kind={kind} schema={schema} />;
}

const isReference = (kind: Kind): boolean => kind === "entry" || kind === "file" || kind === "picture";

const isTextKind = (kind: Kind): boolean => !["number", "integer", "boolean", "group", "shapes"].includes(kind);

/** True for a stored default that is not of the kind: it is shown as JSON. */
const isOdd = (kind: Kind, value: Json | undefined): boolean =>
  value !== undefined && isTextKind(kind) && typeof value !== "string";

type InputProps = { value: Json | undefined; onChange(value: Json | undefined): void };

const YesOrNo = ({ value, onChange }: InputProps) => (
  <Select
    label={say("Default")}
    w={220}
    data={[
      { value: "true", label: say("Yes") },
      { value: "false", label: say("No") },
    ]}
    placeholder={say("None")}
    clearable
    clearButtonProps={{ "aria-label": say("Remove the default") }}
    value={value === undefined ? null : String(value)}
    onChange={(chosen) => onChange(chosen === null ? undefined : chosen === "true")}
  />
);

const distinct = (choices: readonly Choice[]) =>
  [...new Map(choices.map(({ value, label }) => [value, label || value]))].map(([value, label]) => ({ value, label }));

const native: Partial<Record<Kind, string>> = { date: "date", time: "time", moment: "text", color: "text" };

type KindProps = InputProps & { kind: Kind; schema: JsonObject };

function TextDefault({ kind, schema, value, onChange }: KindProps) {
  const text = typeof value === "string" ? value : "";
  const change = (changed: string | null): void => onChange(changed || undefined);
  if (kind === "choice")
    return (
      <Select
        label={say("Default")}
        w={220}
        data={distinct(choicesOf(schema))}
        placeholder={say("None")}
        clearable
        clearButtonProps={{ "aria-label": say("Remove the default") }}
        value={text === "" ? null : text}
        onChange={change}
      />
    );
  if (kind === "long" || kind === "markdown" || kind === "html")
    return (
      <Textarea
        label={say("Default")}
        value={text}
        onChange={(event) => change(event.currentTarget.value)}
        autosize
        minRows={2}
        maxRows={10}
      />
    );
  return (
    <TextInput
      label={say("Default")}
      type={native[kind] ?? "text"}
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}

/** The id of an entry or the path of a file, typed or picked. */
function Reference({ kind, schema, value, onChange }: KindProps) {
  const [isOpen, picker] = useDisclosure(false);
  const narrowed = schema[kind === "entry" ? "x-octavo-types" : "x-octavo-media"];
  const ids = isTexts(narrowed) ? narrowed : [];
  return (
    <>
      <TextInput
        label={say("Default")}
        value={typeof value === "string" ? value : ""}
        onChange={(event) => onChange(event.currentTarget.value || undefined)}
        className="mono-input"
        rightSection={
          <ActionIcon
            onClick={picker.open}
            aria-label={kind === "entry" ? say("Choose an entry") : say("Choose a file")}
          >
            <FolderSearch size={16} />
          </ActionIcon>
        }
      />
      {isOpen && (
        <Suspense>
          {kind === "entry" ? (
            <EntryPicker types={ids} onPick={onChange} onClose={picker.close} />
          ) : (
            <MediaPicker media={ids} onPick={onChange} onClose={picker.close} />
          )}
        </Suspense>
      )}
    </>
  );
}
