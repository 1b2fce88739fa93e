import { Button, Text } from "@mantine/core";
import { Plus } from "lucide-react";
import { useContext, useId, useRef, useState } from "react";
import type { Json, JsonObject } from "../api/json.ts";
import { say } from "../language/say.ts";
import {
  fieldsOf,
  type SchemaField,
  withField,
  withMoved,
  withoutField,
  withRenamed,
  withRequired,
} from "../model/type/schema-edit.ts";
import { offerUndo } from "../ui/undo.tsx";
import { FieldCard } from "./field-card.tsx";
import { RenameContext } from "./rename-context.ts";

type FieldListProps = {
  /** A schema with properties. */
  schema: JsonObject;
  /** The same schema as it is stored; undefined for a new one. */
  stored: JsonObject | undefined;
  /** Where it is in the schema of the type. */
  pointer: string;
  /** The group or the shape that has these fields. */
  group?: string;
  /** A field that is not shown: it tells shapes apart. */
  hidden?: string;
  onChange(schema: JsonObject): void;
};

/** The fields of a type, a group or a shape: added, named, ordered, removed. */
export function FieldList(props: FieldListProps) {
  const { schema, stored, pointer, group, hidden, onChange } = props;
  const all = fieldsOf(schema);
  const fields = all.filter(({ name }) => name !== hidden);
  const id = useId();
  const list = useRef<HTMLUListElement>(null);
  const { keys, said, added, move, remove, change, add } = useFieldChanges(props, fields);
  return (
    <div>
      <span className="spoken" role="status">
        {said}
      </span>
      <ul
        ref={list}
        className="field-cards"
        aria-label={group === undefined ? say("Fields") : say("Fields of {name}", { name: group })}
        tabIndex={-1}
      >
        {fields.map((field, i) => (
          <FieldCard
            key={keys.of(field.name)}
            list={id}
            index={i}
            count={fields.length}
            field={field}
            storedAs={stored && keys.originOf(field.name)}
            stored={stored}
            pointer={pointer}
            isNew={keys.of(field.name) === added}
            taken={(name) => name !== field.name && all.some((each) => each.name === name)}
            onChange={(changed, name) => change(field.name, changed, name)}
            onRequire={(isRequired) => onChange(withRequired(schema, field.name, isRequired))}
            onMove={move}
            onInsert={() => add(field.name)}
            onRemove={() => {
              remove(field.name);
              list.current?.focus();
            }}
          />
        ))}
      </ul>
      {fields.length === 0 && (
        <Text size="sm" c="dimmed" mb="xs">
          {say("No fields yet")}
        </Text>
      )}
      <Button variant="default" size="xs" leftSection={<Plus size={14} />} onClick={() => add()}>
        {group === undefined ? say("Add a field") : say("Add a field to {group}", { group })}
      </Button>
    </div>
  );
}

/** What is done with the fields that are shown, what was said of it, and the key of the field that was added last. */
function useFieldChanges({ schema, pointer, onChange }: FieldListProps, fields: readonly SchemaField[]) {
  const noteRenaming = useContext(RenameContext);
  const all = fieldsOf(schema);
  const keys = useFieldKeys();
  const latest = useRef(schema);
  latest.current = schema;
  const [said, announce] = useState("");
  const [added, setAdded] = useState<number>();
  const move = (from: number, to: number): void => {
    const [name, target] = [fields[from]?.name, fields[to]?.name];
    if (name === undefined || target === undefined) return;
    onChange(withMoved(schema, name, placeOf(all, target)));
    announce(say("{name} is now field {to} of {fields}", { name, to: to + 1, fields: fields.length }));
  };
  const remove = (name: string): void => {
    onChange(withoutField(schema, name));
    // What was changed since stays.
    offerUndo(say("Removed the field"), name, () => onChange(restored(latest.current, schema, name)));
  };
  const change = (from: string, changed: Json, to = from): void => {
    const after = withField(schema, from, changed);
    if (to !== from) {
      keys.rename(from, to);
      noteRenaming({ pointer, from, to });
    }
    onChange(to === from ? after : withRenamed(after, from, to));
  };
  /** Adds a field below the one of this name, or at the end. */
  const add = (below?: string): void => {
    const name = freeName(all.map((field) => field.name));
    setAdded(keys.of(name));
    const after = withField(schema, name, { type: "string" });
    onChange(below === undefined ? after : withMoved(after, name, placeOf(all, below) + 1));
  };
  return { keys, said, added, move, remove, change, add };
}

const placeOf = (fields: readonly { name: string }[], name: string): number =>
  fields.findIndex((field) => field.name === name);

/** The schema with the field as it was, at its place. */
function restored(now: JsonObject, before: JsonObject, name: string): JsonObject {
  const fields = fieldsOf(before);
  const at = placeOf(fields, name);
  const field = fields[at];
  if (!field || fieldsOf(now).some((each) => each.name === name)) return now;
  return withRequired(withMoved(withField(now, name, field.schema), name, at), name, field.isRequired);
}

function freeName(taken: readonly string[]): string {
  const names = ["field", ...Array.from(taken, (_, i) => `field${i + 2}`)];
  return names.find((name) => !taken.includes(name)) ?? "field";
}

/** A key for each field that stays when it is renamed, and the name that it had at first. */
function useFieldKeys() {
  const known = useRef(new Map<string, { key: number; origin: string }>()).current;
  const last = useRef(0);
  const get = (name: string): { key: number; origin: string } => {
    const found = known.get(name) ?? { key: ++last.current, origin: name };
    known.set(name, found);
    return found;
  };
  return {
    of: (name: string): number => get(name).key,
    originOf: (name: string): string => get(name).origin,
    rename: (from: string, to: string): void => {
      known.set(to, get(from));
      known.delete(from);
    },
  };
}
