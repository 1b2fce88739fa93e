import { Switch, TextInput } from "@mantine/core";
import { type KeyboardEvent, useState } from "react";
import { formatJson, isNumber, isSame, type Json, parseNumber } from "../api/json.ts";
import { notNumber, useFault, useTyped } from "../field/fault.ts";
import { say } from "../language/say.ts";
import type { Bounds, ShapeOf } from "../model/form/schema.ts";
import type { ControlProps } from "./context.ts";
import { useLabel } from "./label.ts";

type NumberProps = ControlProps<ShapeOf<"number">>;

/** A number as text, so that long ones lose no digits. The arrow keys step within the bounds. */
export function NumberControl(props: NumberProps) {
  const { shape, label, value, pointer, isRequired, isBare, edit } = props;
  const { bounds } = shape;
  const labels = useLabel(props);
  const stored = isNumber(value) ? formatJson(value) : "";
  const [before] = useState(value);
  const [text, setText] = useTyped(pointer, () => stored);
  const read = text.trim() === "" ? undefined : parseNumber(text);
  // An item of a list is never absent: an emptied one waits for its number.
  const isMissing = text.trim() === "" && isNumber(value) && isRequired && isBare === true;
  const isWrong = isMissing || (text.trim() !== "" && read === undefined);
  // The value was changed elsewhere: by an undo, or by another session.
  const shown = isWrong || isSame(read, isNumber(value) ? value : undefined) ? text : stored;
  useFault(pointer, isWrong ? say("{label} is not a number", { label }) : undefined, text);
  const change = (typed: string): void => {
    setText(typed);
    const number = parseNumber(typed);
    if (number !== undefined) edit(() => number);
    else if (typed.trim() === "" && !(isRequired && isBare))
      edit(() => (before === null && shape.isNullable ? null : undefined));
  };
  const step = (event: KeyboardEvent): void => {
    const sign = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    const next = sign && stepped(value, sign, bounds);
    if (next === undefined) return;
    event.preventDefault();
    change(String(next));
  };
  return (
    <TextInput
      {...labels}
      inputMode={shape.isInteger ? "numeric" : "decimal"}
      placeholder={shape.example}
      description={[labels.description, boundsText(bounds)].filter(Boolean).join(" · ") || undefined}
      value={shown}
      error={isWrong ? notNumber(text) : (labels.error ?? faultOf(read, shape))}
      onChange={(event) => change(event.currentTarget.value)}
      onKeyDown={step}
    />
  );
}

/** The next number; undefined where a double would lose digits. */
function stepped(value: Json | undefined, sign: number, { min, max, step = 1 }: Bounds): number | undefined {
  const from = isNumber(value) ? Number(formatJson(value)) : undefined;
  if (from === undefined) return min ?? 0;
  if (!Number.isSafeInteger(Math.round(from / step))) return undefined;
  const decimals = Math.max(...[from, step].map((n) => String(n).split(".")[1]?.length ?? 0));
  const next = Number((from + sign * step).toFixed(Math.min(20, decimals)));
  return Math.min(Math.max(next, min ?? next), max ?? next);
}

/** Bounds are written as the number is typed: a year has no groups of digits. */
function boundsText({ min, max }: Bounds): string | undefined {
  if (min !== undefined && max !== undefined) return say("From {min} to {max}", { min: String(min), max: String(max) });
  if (min !== undefined) return say("At least {min}", { min: String(min) });
  return max === undefined ? undefined : say("At most {max}", { max: String(max) });
}

/** Told while typing; the service decides. */
function faultOf(
  value: Json | undefined,
  { isInteger, bounds: { min, max } }: NumberProps["shape"],
): string | undefined {
  if (!isNumber(value)) return undefined;
  const number = Number(formatJson(value));
  if (isInteger && !Number.isInteger(number)) return say("Expected a whole number");
  if (min !== undefined && number < min) return say("Expected at least {min}", { min: String(min) });
  return max !== undefined && number > max ? say("Expected at most {max}", { max: String(max) }) : undefined;
}

export function SwitchControl(props: ControlProps<ShapeOf<"switch">>) {
  const { value, label, isBare, isRequired, edit } = props;
  const { id, error, description } = useLabel(props);
  return (
    <Switch
      id={id}
      {...(isBare ? { "aria-label": label } : { label: isRequired ? `${label} *` : label })}
      description={description}
      error={error}
      checked={value === true}
      onChange={(event) => {
        const isOn = event.currentTarget.checked;
        edit(() => isOn);
      }}
    />
  );
}
