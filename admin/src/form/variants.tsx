import { Input, NativeSelect, Stack } from "@mantine/core";
import { useRef, useState } from "react";
import { isObject, type Json } from "../api/json.ts";
import { say } from "../language/say.ts";
import { ownOf } from "../model/form/pointer.ts";
import type { Shape, ShapeOf, Variant } from "../model/form/schema.ts";
import { areToldApart, initialOfVariant, isSettled, isShown, variantOf } from "../model/form/value.ts";
import type { ControlProps } from "./context.ts";
import { Control } from "./control.tsx";
import { useLabel } from "./label.ts";

/** One of several forms. Choosing another one carries over what that has too, and choosing back gives back the rest. */
export function Variants(props: ControlProps<ShapeOf<"variants">>) {
  const { shape, label, pointer, value, isRequired, isBare, edit } = props;
  const { error, description } = useLabel(props);
  const [chosen, setChosen] = useState<number>();
  const earlier = useRef(new Map<number, Json | undefined>());
  const found = variantOf(shape.variants, value);
  const at = chosen !== undefined && isShownBy(shape.variants[chosen]?.shape(), value) ? chosen : found;
  // A value of such a variant begins with its constant: there is none until a variant is chosen.
  const isToldApart = areToldApart(shape.variants);
  const isUnset = isToldApart && (value === undefined || value === null);
  const variant = isUnset ? undefined : shape.variants[at]?.shape();
  const choose = (key: string): void => {
    if (!isUnset) earlier.current.set(at, value);
    const next = shape.variants[Number(key)];
    if (next) setChosen(Number(key));
    edit((before) => {
      if (!next) return shape.isNullable && before !== undefined ? null : undefined;
      return earlier.current.get(Number(key)) ?? carried(before, next);
    });
  };
  const options = shape.variants.map(({ label: name }, i) => ({ value: String(i), label: name }));
  // An item says of which variant it is in its head.
  const isChosen = !(isBare && isToldApart && isWhole(variant, value));
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
        {isChosen && (
          <NativeSelect
            aria-label={say("Kind of {label}", { label })}
            size="xs"
            data={
              isToldApart && (isUnset || !isRequired) ? [{ value: unset, label: say("Not set") }, ...options] : options
            }
            value={isUnset ? unset : String(at)}
            onChange={(event) => choose(event.currentTarget.value)}
          />
        )}
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

const unset = "unset";

/** True when the constants of the value are those of its variant. */
const isWhole = (shape: Shape | undefined, value: Json | undefined): boolean =>
  shape?.kind === "object" &&
  isObject(value) &&
  shape.fields.some((field) => isSettled(field, ownOf(value, field.name)));

const isShownBy = (shape: Shape | undefined, value: Json | undefined): boolean =>
  shape !== undefined && isShown(shape, value);

/** A value for another variant: as it is if that shows it, otherwise a new one with the fields that both have. */
function carried(value: Json | undefined, variant: Variant): Json {
  const shape = variant.shape();
  const initial = initialOfVariant(variant);
  if (!isObject(value) || !isObject(initial) || shape.kind !== "object")
    return value !== undefined && value !== null && isShown(shape, value) ? value : initial;
  const shared = shape.fields.flatMap(({ name, shape: field }) => {
    const own = ownOf(value, name);
    const isKept = own !== undefined && !Object.hasOwn(initial, name) && isShown(field(), own);
    return isKept ? [[name, own] as const] : [];
  });
  return { ...initial, ...Object.fromEntries(shared) };
}
