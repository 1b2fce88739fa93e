import { Skeleton } from "@mantine/core";
import { lazy, type ReactNode, Suspense, useState } from "react";
import type { Shape, ShapeOf } from "../model/form/schema.ts";
import { isShown } from "../model/form/value.ts";
import { Frozen } from "../ui/frozen.tsx";
import { Checks, Choice } from "./choice.tsx";
import type { ControlProps } from "./context.ts";
import { Group } from "./group.tsx";
import { JsonControl } from "./json-control.tsx";
import { List } from "./list.tsx";
import { NumberControl, SwitchControl } from "./number.tsx";
import { EntryInput, FileInput } from "./reference-input.tsx";
import { Tags } from "./tags.tsx";
import { DateInput, TextControl, TimeInput } from "./text.tsx";
import { Variants } from "./variants.tsx";

const Prose = lazy(async () => ({ default: (await import("./prose.tsx")).Prose }));

/**
 * The control of a value. A value that its control cannot show is edited as JSON, until it fits and the focus leaves it.
 */
export function Control(given: ControlProps) {
  const { shape, value, pointer } = given;
  const props = shape.isReadOnly ? { ...given, edit: noEdit } : given;
  const fits = isShown(shape, value);
  const [isOdd, setOdd] = useState(!fits);
  if (!fits && !isOdd) setOdd(true);
  const control = isOdd ? <JsonControl {...props} isOdd={!fits} /> : <ByKind {...props} />;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it notices that the focus leaves the control inside.
    <div
      className="typed-field"
      data-kind={isOdd ? "json" : shape.kind}
      data-pointer={pointer}
      onBlur={() => isOdd && fits && setOdd(false)}
    >
      {shape.isReadOnly ? (
        <Frozen isFrozen>
          <fieldset className="bare" data-frozen>
            {control}
          </fieldset>
        </Frozen>
      ) : (
        control
      )}
    </div>
  );
}

const noEdit = (): void => undefined;

const of = <K extends Shape["kind"]>(props: ControlProps): ControlProps<ShapeOf<K>> =>
  props as ControlProps<ShapeOf<K>>;

function ByKind(props: ControlProps): ReactNode {
  switch (props.shape.kind) {
    case "text":
      return <ByInput {...of<"text">(props)} />;
    case "prose":
      return (
        <Suspense fallback={<Skeleton height={372} />}>
          <Prose {...of<"prose">(props)} />
        </Suspense>
      );
    case "number":
      return <NumberControl {...of<"number">(props)} />;
    case "switch":
      return <SwitchControl {...of<"switch">(props)} />;
    case "choice":
      return <Choice {...of<"choice">(props)} />;
    case "checks":
      return <Checks {...of<"checks">(props)} />;
    case "object":
      return <Group {...of<"object">(props)} />;
    case "list":
      return <List {...of<"list">(props)} />;
    case "tags":
      return <Tags {...of<"tags">(props)} />;
    case "variants":
      return <Variants {...of<"variants">(props)} />;
    case "json":
      return <JsonControl {...props} isOdd={false} />;
  }
}

function ByInput(props: ControlProps<ShapeOf<"text">>): ReactNode {
  switch (props.shape.input) {
    case "entry":
      return <EntryInput {...props} />;
    case "file":
      return <FileInput {...props} />;
    case "date":
    case "time":
      return <TimeInput {...props} />;
    case "date-time":
      return <DateInput {...props} />;
    default:
      return <TextControl {...props} />;
  }
}
