import { Button, Input, UnstyledButton } from "@mantine/core";
import { ChevronRight, X } from "lucide-react";
import { memo, type ReactNode, useCallback, useState } from "react";
import { isObject, type JsonObject } from "../api/json.ts";
import { say } from "../language/say.ts";
import { labelOfField } from "../model/form/item-name.ts";
import { ownOf, segmentOf, segmentsOf } from "../model/form/pointer.ts";
import type { Field, Shape, ShapeOf } from "../model/form/schema.ts";
import { isSettled, withKey } from "../model/form/value.ts";
import { type ControlProps, type Edit, useFaultsAt, useReveal } from "./context.ts";
import { Control } from "./control.tsx";
import { JsonControl } from "./json-control.tsx";
import { useRemoval } from "./removal.ts";

type GroupProps = ControlProps<ShapeOf<"object">>;

/** The fields of an object, below its name. Deeper groups are closed at first: a schema may refer to itself. */
export function Group(props: GroupProps) {
  const { shape, label, pointer, value, isRequired, isBare } = props;
  const clear = useRemoval(props);
  const [isOpen, setOpen] = useState(segmentsOf(pointer).length < 2);
  useReveal(pointer, () => setOpen(true));
  const error = useFaultsAt(pointer);
  if (isBare)
    return (
      <>
        {error && <Input.Error>{error}</Input.Error>}
        <GroupFields {...props} />
      </>
    );
  return (
    <Section
      label={label}
      isRequired={isRequired}
      isOpen={isOpen}
      onToggle={() => setOpen(!isOpen)}
      help={shape.help}
      error={error}
      tools={
        value !== undefined &&
        !isRequired && (
          <Button
            size="compact-xs"
            variant="subtle"
            color="gray"
            leftSection={<X size={13} />}
            aria-label={say("Clear {label}", { label })}
            onClick={clear}
          >
            {say("Clear")}
          </Button>
        )
      }
    >
      <GroupFields {...props} />
    </Section>
  );
}

type SectionProps = {
  label: string;
  isRequired?: boolean;
  isOpen: boolean;
  onToggle(): void;
  /** What it holds. */
  summary?: string | undefined;
  help?: string | undefined;
  error?: string | undefined;
  tools?: ReactNode;
  children: ReactNode;
};

/** A part that opens. What was shown once stays mounted, with what is typed in it. */
export function Section({ label, isRequired, isOpen, onToggle, summary, help, error, tools, children }: SectionProps) {
  const [wasOpen, setWasOpen] = useState(isOpen);
  if (isOpen && !wasOpen) setWasOpen(true);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot have this layout.
    <div className="typed-group" role="group" aria-label={summary ? `${label}: ${summary}` : label}>
      <div className="typed-head">
        <UnstyledButton className="typed-toggle" aria-expanded={isOpen} onClick={onToggle}>
          <ChevronRight size={15} aria-hidden />
          <span className="typed-name">
            {label}
            {isRequired && (
              <span aria-hidden className="typed-star">
                {" *"}
              </span>
            )}
            {summary && " "}
            {summary && <span className="typed-preview">{summary}</span>}
          </span>
        </UnstyledButton>
        {tools}
      </div>
      {help && <Input.Description>{help}</Input.Description>}
      {error && <Input.Error mt={4}>{error}</Input.Error>}
      {wasOpen && (
        <div className="typed-inside" hidden={!isOpen}>
          {children}
        </div>
      )}
    </div>
  );
}

/** One control for each field, and what the object has besides them as JSON. */
function GroupFields({ shape, pointer, value, edit }: GroupProps) {
  const object = isObject(value) ? value : {};
  return (
    <div className="typed-fields">
      {shape.fields
        .filter((field) => !isSettled(field, ownOf(object, field.name)))
        .map((field) => (
          <FieldControl
            key={field.name}
            field={field}
            pointer={pointer}
            value={ownOf(object, field.name)}
            edit={edit}
          />
        ))}
      <Others shape={shape} pointer={pointer} object={object} edit={edit} />
    </div>
  );
}

/** A name for people: the schema's title, or the key. */

type FieldControlProps = Pick<GroupProps, "pointer" | "value" | "edit"> & { field: Field };

/** A keystroke renders the controls whose value it changes. */
export const FieldControl = memo(function FieldControl({ field, pointer, value, edit }: FieldControlProps) {
  const { name, isRequired } = field;
  const change = useCallback<Edit>(
    (own) =>
      edit((before) => {
        const object = isObject(before) ? before : {};
        const after = own(ownOf(object, name));
        return after === undefined && !Object.hasOwn(object, name) ? before : withKey(object, name, after);
      }),
    [edit, name],
  );
  const shape = field.shape();
  return (
    <Control
      shape={shape}
      label={labelOfField(name, shape)}
      pointer={pointer + segmentOf(name)}
      value={value}
      isRequired={isRequired}
      edit={change}
    />
  );
});

type OthersProps = Pick<GroupProps, "shape" | "pointer" | "edit"> & { object: JsonObject };

/** The keys of an object that its schema does not name. */
function Others({ shape, pointer, object, edit }: OthersProps) {
  const known = new Set(shape.fields.map(({ name }) => name));
  const others = Object.entries(object).filter(([key]) => !known.has(key));
  if (others.length === 0) return null;
  const change: Edit = (own) =>
    edit((before) => {
      const kept = Object.entries(isObject(before) ? before : {}).filter(([key]) => known.has(key));
      const changed = own(Object.fromEntries(others));
      const added = Object.entries(isObject(changed) ? changed : {}).filter(([key]) => !known.has(key));
      return Object.fromEntries([...kept, ...added]);
    });
  const json: Shape = { ...shape, title: undefined, help: undefined, isReadOnly: false, kind: "json", initial: {} };
  return (
    <JsonControl
      shape={json}
      label={say("Other fields")}
      pointer={`${pointer}/`}
      value={Object.fromEntries(others)}
      isRequired={false}
      isOdd={false}
      edit={change}
    />
  );
}
