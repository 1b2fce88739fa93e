import { Button, Text } from "@mantine/core";
import { Plus } from "lucide-react";
import { type DragEvent, useRef, useState } from "react";
import type { JsonObject } from "../api/json.ts";
import { offerUndo } from "../ui/undo.tsx";
import { FieldCard } from "./field-card.tsx";
import { fieldsOf, withField, withMoved, withoutField, withRenamed, withRequired } from "./schema-edit.ts";

type FieldListProps = {
  /** A schema with properties. */
  schema: JsonObject;
  /** The same schema as it is stored; undefined for a new one. */
  stored: JsonObject | undefined;
  /** Where it is in the schema of the type. */
  pointer: string;
  /** The group that has these fields. */
  group?: string;
  onChange(schema: JsonObject): void;
};

/** The fields of a type or of a group: added, renamed, ordered, removed. */
export function FieldList({ schema, stored, pointer, group, onChange }: FieldListProps) {
  const fields = fieldsOf(schema);
  const keys = useFieldKeys();
  const latest = useRef(schema);
  latest.current = schema;
  const list = useRef<HTMLUListElement>(null);
  const [said, say] = useState("");
  const [dragged, setDragged] = useState<string>();
  const [added, setAdded] = useState<string>();
  const move = (name: string, to: number): void => {
    if (to < 0 || to >= fields.length) return;
    onChange(withMoved(schema, name, to));
    say(`${name} is now field ${to + 1} of ${fields.length}`);
  };
  const remove = (name: string): void => {
    onChange(withoutField(schema, name));
    // What was changed since stays.
    offerUndo("Removed the field", name, () => onChange(restored(latest.current, schema, name)));
    list.current?.focus();
  };
  const rename = (from: string, to: string): void => {
    keys.rename(from, to);
    onChange(withRenamed(schema, from, to));
  };
  const add = (): void => {
    const name = freeName(fields.map((field) => field.name));
    setAdded(name);
    onChange(withField(schema, name, { type: "string" }));
  };
  const drop = (event: DragEvent, to: number): void => {
    event.preventDefault();
    event.stopPropagation();
    if (dragged !== undefined) move(dragged, to);
    setDragged(undefined);
  };
  const of = group === undefined ? "" : ` of ${group}`;
  return (
    <div>
      <span className="spoken" role="status">
        {said}
      </span>
      <ul ref={list} className="field-cards" aria-label={`Fields${of}`} tabIndex={-1}>
        {fields.map((field, i) => (
          <li
            key={keys.of(field.name)}
            data-over={dragged !== undefined || undefined}
            onDragOver={(event) => dragged !== undefined && event.preventDefault()}
            onDrop={(event) => drop(event, i)}
          >
            <FieldCard
              field={field}
              storedAs={stored && keys.originOf(field.name)}
              stored={stored}
              pointer={pointer}
              isNew={field.name === added}
              isFirst={i === 0}
              isLast={i === fields.length - 1}
              taken={(name) => name !== field.name && fields.some((each) => each.name === name)}
              onChange={(changed) => onChange(withField(schema, field.name, changed))}
              onRename={(name) => rename(field.name, name)}
              onRequire={(isRequired) => onChange(withRequired(schema, field.name, isRequired))}
              onMove={(by) => move(field.name, i + by)}
              onRemove={() => remove(field.name)}
              onDrag={(isDragged) => setDragged(isDragged ? field.name : undefined)}
            />
          </li>
        ))}
      </ul>
      {fields.length === 0 && (
        <Text size="sm" c="dimmed" mb="xs">
          No fields yet
        </Text>
      )}
      <Button variant="default" size="xs" leftSection={<Plus size={14} />} onClick={add}>
        Add a field{group === undefined ? "" : ` to ${group}`}
      </Button>
    </div>
  );
}

/** The schema with the field as it was, at its place. */
function restored(now: JsonObject, before: JsonObject, name: string): JsonObject {
  const fields = fieldsOf(before);
  const at = fields.findIndex((field) => field.name === name);
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
  const get = (name: string): { key: number; origin: string } => {
    const found = known.get(name) ?? { key: known.size, origin: name };
    known.set(name, found);
    return found;
  };
  return {
    of: (name: string): number => get(name).key,
    originOf: (name: string): string => get(name).origin,
    rename: (from: string, to: string): void => {
      known.set(to, get(from));
      known.set(from, { key: known.size + 1000, origin: from });
    },
  };
}
