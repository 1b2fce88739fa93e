import { Badge, Button, Group, Text, TextInput } from "@mantine/core";
import { Plus } from "lucide-react";
import { useContext, useEffect, useId, useRef, useState } from "react";
import type { Json, JsonObject } from "../api/json.ts";
import { say, sayMany } from "../language/say.ts";
import { wordsOf } from "../model/field-name.ts";
import { moved } from "../model/form/value.ts";
import { fieldsOf, withKeyword } from "../model/type/schema-edit.ts";
import { constantOf, isOfShapes, newShape, tagOf, withConstant } from "../model/type/shapes.ts";
import { sayParts } from "../ui/say-parts.tsx";
import { offerUndo } from "../ui/undo.tsx";
import { Card } from "./card.tsx";
import { isAtOrBelow, pointerTo, SchemaFaultContext } from "./fault-place.ts";
import { FieldList } from "./field-list.tsx";
import { focusOnce } from "./focus-once.ts";

type ShapeListProps = {
  /** A schema with a `oneOf` of shapes. */
  schema: JsonObject;
  stored: JsonObject | undefined;
  pointer: string;
  /** The field that has these shapes. */
  group: string;
  onChange(schema: JsonObject): void;
};

const shapesOf = (schema: JsonObject | undefined): JsonObject[] => (isOfShapes(schema?.oneOf) ? schema.oneOf : []);

/** The shapes of a value or of blocks: added, named, ordered, removed, each with its fields. */
export function ShapeList({ schema, stored, pointer, group, onChange }: ShapeListProps) {
  const shapes = shapesOf(schema);
  const tag = tagOf(shapes) ?? "";
  const id = useId();
  const keys = useKeys(shapes.length);
  const [added, setAdded] = useState<number>();
  const [said, announce] = useState("");
  const latest = useRef(schema);
  latest.current = schema;
  const set = (changed: JsonObject[]): void => onChange({ ...schema, oneOf: changed });
  const add = (at: number): void => {
    setAdded(keys.insert(at));
    set(shapes.toSpliced(at, 0, newShape(tag, freeValue("shape", shapes, tag), "")));
  };
  const move = (from: number, to: number): void => {
    keys.current = moved(keys.current, from, to);
    set(moved(shapes, from, to));
    const title = titleOf(shapes[from] as JsonObject, tag);
    announce(say("{title} is now shape {to} of {count}", { title, to: to + 1, count: shapes.length }));
  };
  const remove = (at: number): void => {
    const shape = shapes[at] as JsonObject;
    keys.current = keys.current.toSpliced(at, 1);
    set(shapes.toSpliced(at, 1));
    offerUndo(say("Removed the shape"), titleOf(shape, tag), () => {
      keys.insert(at);
      onChange({ ...latest.current, oneOf: shapesOf(latest.current).toSpliced(at, 0, shape) });
    });
  };
  const last = shapes.length === 1;
  return (
    <div>
      <span className="spoken" role="status">
        {said}
      </span>
      <ul className="field-cards" aria-label={say("Shapes of {group}", { group })}>
        {shapes.map((shape, i) => (
          <ShapeCard
            key={keys.current[i]}
            list={id}
            index={i}
            shapes={shapes}
            tag={tag}
            stored={shapesOf(stored).find((each) => constantOf(each, tag) === constantOf(shape, tag))}
            pointer={pointerTo(pointer, "oneOf", String(i))}
            isNew={keys.current[i] === added}
            onChange={(changed) => set(shapes.with(i, changed))}
            onMove={move}
            onInsert={() => add(i + 1)}
            onRemove={last ? undefined : () => remove(i)}
          />
        ))}
      </ul>
      <Button variant="default" size="xs" leftSection={<Plus size={14} />} onClick={() => add(shapes.length)}>
        {say("Add a shape to {group}", { group })}
      </Button>
    </div>
  );
}

const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "");
const titleOf = (shape: JsonObject, tag: string): string => textOf(shape.title) || (constantOf(shape, tag) ?? "");

function freeValue(wanted: string, others: readonly JsonObject[], tag: string): string {
  for (let i = 1; ; i++) {
    const value = i === 1 ? wanted : `${wanted}_${i}`;
    if (others.every((each) => constantOf(each, tag) !== value)) return value;
  }
}

type ShapeCardProps = {
  list: string;
  index: number;
  shapes: readonly JsonObject[];
  tag: string;
  stored: JsonObject | undefined;
  pointer: string;
  isNew: boolean;
  onChange(shape: JsonObject): void;
  onMove(from: number, to: number): void;
  onInsert(): void;
  onRemove: (() => void) | undefined;
};

function ShapeCard(props: ShapeCardProps) {
  const { list, index, shapes, tag, stored, pointer, isNew, onChange, onMove, onInsert, onRemove } = props;
  const shape = shapes[index] as JsonObject;
  const isFaulty = isAtOrBelow(useContext(SchemaFaultContext), pointer);
  const [isOpen, setOpen] = useState(isNew);
  useEffect(() => {
    if (isFaulty) setOpen(true);
  }, [isFaulty]);
  const name = titleOf(shape, tag);
  const fields = fieldsOf(shape).length - 1;
  const head = (
    <>
      <span className="name-lines">
        <span dir="auto">{name}</span>
        <small className="mono">{constantOf(shape, tag)}</small>
      </span>
      <Badge color="gray" visibleFrom="xs">
        {sayMany(fields, "{count} field", "{count} fields")}
      </Badge>
    </>
  );
  return (
    <Card
      {...{ list, index, head, name, isFaulty, isOpen, onMove, onInsert, onRemove }}
      count={shapes.length}
      noun="shape"
      onToggle={() => setOpen(!isOpen)}
    >
      <ShapeNames {...props} shape={shape} />
      <FieldList schema={shape} stored={stored} pointer={pointer} group={name} hidden={tag} onChange={onChange} />
    </Card>
  );
}

function ShapeNames({ shape, shapes, index, tag, stored, isNew, onChange }: ShapeCardProps & { shape: JsonObject }) {
  const others = shapes.toSpliced(index, 1);
  const value = constantOf(shape, tag) ?? "";
  const [follows, setFollows] = useState(isNew && textOf(shape.title) === "");
  const [before] = useState(stored && value);
  const setTitle = (title: string): void => {
    const words = follows ? wordsOf(title) : "";
    const titled = withKeyword(shape, "title", title || undefined);
    onChange(words === "" ? titled : withConstant(titled, tag, freeValue(words, others, tag)));
  };
  const isTwice = (typed: string): boolean => others.some((each) => constantOf(each, tag) === typed);
  const [typed, setTyped] = useState<string>();
  return (
    <>
      <Group gap="sm" grow preventGrowOverflow={false} align="flex-start">
        <TextInput
          label={say("Title of the shape")}
          value={textOf(shape.title)}
          onChange={(event) => setTitle(event.currentTarget.value)}
          ref={isNew ? focusOnce : undefined}
          attributes={{ input: { dir: "auto" } }}
        />
        <TextInput
          label={say("Value of {tag}", { tag })}
          className="mono-input"
          spellCheck={false}
          value={typed ?? value}
          error={typed !== undefined && isTwice(typed) ? say("Another shape has this value") : undefined}
          onChange={(event) => {
            const next = event.currentTarget.value;
            const isKept = next !== "" && !isTwice(next);
            setFollows(false);
            setTyped(isKept ? undefined : next);
            if (isKept) onChange(withConstant(shape, tag, next));
          }}
          onBlur={() => setTyped(undefined)}
        />
      </Group>
      {before !== undefined && before !== value && (
        <Text size="xs" c="dimmed" role="note">
          {sayParts("What is stored with {before} stays, and is of no shape then.", { before: <b>{before}</b> })}
        </Text>
      )}
    </>
  );
}

/** A key for each shape, so that what is open moves with it. */
function useKeys(length: number) {
  const [keys] = useState(() => {
    let last = 0;
    const next = (): number => ++last;
    return {
      current: Array.from({ length }, next),
      next,
      insert(at: number): number {
        const key = next();
        this.current = this.current.toSpliced(at, 0, key);
        return key;
      },
    };
  });
  // Shapes that were added or removed in the JSON.
  if (keys.current.length > length) keys.current = keys.current.slice(0, length);
  while (keys.current.length < length) keys.current.push(keys.next());
  return keys;
}
