import { Group, TagsInput, Text } from "@mantine/core";
import type { Json, JsonObject } from "../api/json.ts";
import { say } from "../language/say.ts";
import { isTexts, objectOf } from "../model/type/fields.ts";
import type { FieldKind, Kind } from "../model/type/kind.ts";
import { withKeyword } from "../model/type/schema-edit.ts";
import { useTypes } from "../query/types.ts";
import { ChoiceList } from "./choice-list.tsx";
import { DefaultInput } from "./default-input.tsx";
import { pointerTo } from "./fault-place.ts";
import { FieldList } from "./field-list.tsx";
import { KeywordFlag, KeywordNumber, KeywordText } from "./keyword-inputs.tsx";
import { ShapeList } from "./shape-list.tsx";

type FieldOptionsProps = {
  name: string;
  schema: JsonObject;
  kind: FieldKind;
  stored: Json | undefined;
  pointer: string;
  onChange(schema: JsonObject): void;
};

/** What the values of a field must be beside their kind, its default, and the fields of a group or of shapes. */
export function FieldOptions({ name, schema, kind, stored, pointer, onChange }: FieldOptionsProps) {
  const { kind: single, isList } = kind;
  const value = isList ? (schema.items as JsonObject) : schema;
  const change = (changed: JsonObject): void => onChange(isList ? { ...schema, items: changed } : changed);
  const Inside = single === "shapes" ? ShapeList : FieldList;
  const storedValue = objectOf(isList ? objectOf(stored)?.items : stored);
  return (
    <>
      <ValueOptions kind={single} schema={value} stored={storedValue} onChange={change} />
      {isList && (
        <Group gap="sm" align="flex-end">
          <KeywordNumber label={say("At least items")} keyword="minItems" schema={schema} onChange={onChange} />
          <KeywordNumber label={say("At most items")} keyword="maxItems" schema={schema} onChange={onChange} />
          <KeywordFlag label={say("No two the same")} keyword="uniqueItems" schema={schema} onChange={onChange} />
        </Group>
      )}
      {single === "group" || single === "shapes" ? (
        <div className="field-group">
          <Inside
            schema={value}
            stored={storedValue}
            pointer={isList ? pointerTo(pointer, "items") : pointer}
            group={name}
            onChange={change}
          />
        </div>
      ) : (
        <DefaultInput kind={kind} schema={schema} onChange={onChange} />
      )}
    </>
  );
}

type ValueOptionsProps = {
  kind: Kind;
  schema: JsonObject;
  stored: JsonObject | undefined;
  onChange(schema: JsonObject): void;
};

function ValueOptions({ kind, stored, ...props }: ValueOptionsProps) {
  switch (kind) {
    case "text":
    case "long":
    case "markdown":
    case "html":
      return (
        <Group gap="sm">
          <KeywordNumber label={say("At least characters")} keyword="minLength" {...props} />
          <KeywordNumber label={say("At most characters")} keyword="maxLength" {...props} />
          {kind === "text" && <KeywordText label={say("Pattern (RE2)")} keyword="pattern" {...props} />}
        </Group>
      );
    case "number":
    case "integer":
      return (
        <Group gap="sm">
          <KeywordNumber label={say("At least")} keyword="minimum" {...props} />
          <KeywordNumber label={say("At most")} keyword="maximum" {...props} />
          <KeywordNumber label={say("Multiple of")} keyword="multipleOf" {...props} />
        </Group>
      );
    case "choice":
      return <ChoiceList stored={stored} {...props} />;
    case "entry":
      return <EntryTypes {...props} />;
    case "file":
      return (
        <Words
          label={say("Files of")}
          description={say("Media types, as image/*, application/pdf. None: all files.")}
          keyword="x-octavo-media"
          data={["image/*", "video/*", "audio/*", "application/pdf"]}
          isOptional
          {...props}
        />
      );
    case "date":
    case "time":
    case "moment":
    case "color":
    case "link":
    case "email":
      return (
        <Text size="xs" c="dimmed">
          {say("The form asks for it. The service does not check its form; a pattern in the JSON does.")}
        </Text>
      );
    default:
      return null;
  }
}

function EntryTypes(props: Omit<ValueOptionsProps, "kind" | "stored">) {
  const ids = useTypes()?.all.map(({ id }) => id) ?? [];
  return (
    <Words
      label={say("Entries of the types")}
      description={say("None: all entries.")}
      keyword="x-octavo-types"
      data={ids}
      isOptional
      {...props}
    />
  );
}

type WordsProps = Omit<ValueOptionsProps, "kind" | "stored"> & {
  label: string;
  description?: string;
  keyword: string;
  data?: string[];
  /** The keyword is removed with the last word. */
  isOptional?: true;
};

function Words({ label, description, keyword, data = [], isOptional, schema, onChange }: WordsProps) {
  const words = schema[keyword];
  return (
    <TagsInput
      label={label}
      description={description}
      placeholder={say("Type and press Enter")}
      data={data}
      value={isTexts(words) ? words : []}
      onChange={(changed) =>
        onChange(withKeyword(schema, keyword, changed.length === 0 && isOptional ? undefined : changed))
      }
    />
  );
}
