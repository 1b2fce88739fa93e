import { Input, NativeSelect, Stack } from "@mantine/core";
import { useRef, useState } from "react";
import { isObject, type Json } from "../api/json.ts";
import type { ControlProps } from "./context.ts";
import { Control } from "./control.tsx";
import { useLabel } from "./label.ts";
import { ownOf } from "./pointer.ts";
import type { Shape, ShapeOf } from "./schema.ts";
import { initialOf, isShown, variantOf } from "./value.ts";

/** One of several forms. Choosing another one carries over what that has too, and choosing back gives back the rest. */
export function Variants(props: ControlProps<ShapeOf<"variants">>) {
  const { shape, label, pointer, value, isRequired, isBare, edit } = props;
  const { error, description } = useLabel(props);
  const [chosen, setChosen] = useState<number>();
  const earlier = useRef(new Map<number, Json | undefined>());
  const found = variantOf(shape.variants, value);
  const at = chosen !== undefined && isShownBy(shape.variants[chosen]?.shape(), value) ? chosen : found;
  const variant = shape.variants[at]?.shape();
  const choose = (next: number): void => {
    const other = shape.variants[next]?.shape();
    if (!other) return;
    earlier.current.set(at, value);
    setChosen(next);
    edit((before) => earlier.current.get(next) ?? carried(before, other));
  };
  return (
    <Input.Wrapper
      label={isBare ? undefined : label}
      labelElement="div"
      withAsterisk={isRequired}
      description={description}
      error={error}
      inputWrapperOrder={["label", "description", "error", "input"]}
    >
      <Stack gap="sm" mt={4} className="typed-variant">
        <NativeSelect
          aria-label={`Kind of ${label}`}
          size="xs"
          data={shape.variants.map(({ label: name }, i) => ({ value: String(i), label: name }))}
          value={String(at)}
          onChange={(event) => choose(Number(event.currentTarget.value))}
        />
        {variant && (
          <Control
            key={at}
            shape={variant}
            label={label}
            pointer={pointer}
            value={value}
            isRequired={isRequired}
            isBare
            edit={edit}
          />
        )}
      </Stack>
    </Input.Wrapper>
  );
}

const isShownBy = (shape: Shape | undefined, value: Json | undefined): boolean =>
  shape !== undefined && isShown(shape, value);

/** A value for another variant: as it is if that shows it, otherwise a new one with the fields that both have. */
function carried(value: Json | undefined, shape: Shape): Json {
  const initial = initialOf(shape);
  if (!isObject(value) || !isObject(initial) || shape.kind !== "object")
    return value !== undefined && value !== null && isShown(shape, value) ? value : initial;
  const shared = shape.fields.flatMap(({ name, shape: field }) => {
    const own = ownOf(value, name);
    const isKept = own !== undefined && !Object.hasOwn(initial, name) && isShown(field(), own);
    return isKept ? [[name, own] as const] : [];
  });
  return { ...initial, ...Object.fromEntries(shared) };
}
