import { Box, Group, Textarea, TextInput } from "@mantine/core";
import { type ReactNode, useContext, useState } from "react";
import type { Json } from "../api/json.ts";
import { heightOf, LongText, mostPlain } from "../field/field.tsx";
import { say } from "../language/say.ts";
import type { TextInput as Input, ShapeOf } from "../model/form/schema.ts";
import { ReadOnlyContext } from "../ui/read-only.ts";
import { useWriting } from "../ui/writing.ts";
import type { ControlProps } from "./context.ts";
import { useLabel } from "./label.ts";
import { LinkTarget } from "./link-target.tsx";

type TextProps = ControlProps<ShapeOf<"text">>;

/** Sets a text. An emptied one becomes absent, unless it is required or was stored as an empty text or as null. */
export function useText({
  value,
  edit,
  isRequired,
  shape,
}: Pick<TextProps, "value" | "edit" | "isRequired" | "shape">) {
  const [before] = useState(value);
  const empty: Json | undefined =
    before === null && shape.isNullable ? null : isRequired || before === "" ? "" : undefined;
  return {
    text: typeof value === "string" ? value : "",
    set: (text: string): void => edit(() => (text === "" ? empty : text)),
  };
}

const keyboards: Partial<Record<Input, "email" | "url">> = { email: "email", url: "url", link: "url" };

/** A text of one line or of many. An input of one line would drop line breaks. */
export function TextControl(props: TextProps) {
  const { shape, label } = props;
  const { text, set } = useText(props);
  const labels = useLabel(props);
  const writing = useWriting();
  const [isLong] = useState(text.length > mostPlain);
  const [hasLines] = useState(shape.isLong || /[\r\n]/.test(text));
  const shared = {
    ...labels,
    attributes: { input: writing },
    placeholder: shape.example,
    value: text,
  };
  if (isLong)
    return (
      <LongText
        label={label}
        title={props.isBare ? undefined : label}
        language="text"
        value={text}
        fault={labels.error}
        onChange={set}
      />
    );
  if (hasLines)
    return (
      <Textarea {...shared} {...heightOf(text)} minRows={3} onChange={(event) => set(event.currentTarget.value)} />
    );
  const withColour = (input: ReactNode): ReactNode => (
    <Group gap="xs" wrap="nowrap">
      <Box flex={1}>{input}</Box>
      <Colour label={label} text={text} onChange={set} />
    </Group>
  );
  const withEntry = (input: ReactNode): ReactNode => (
    <LinkTarget label={label} isRelative={shape.input === "link"} onChange={set}>
      {input}
    </LinkTarget>
  );
  const isLink = shape.input === "link" || shape.input === "url";
  return (
    <TextInput
      {...shared}
      inputMode={keyboards[shape.input]}
      {...(shape.input === "color" && { inputContainer: withColour })}
      {...(isLink && { inputContainer: withEntry })}
      onChange={(event) => set(event.currentTarget.value)}
    />
  );
}

type ColourProps = { label: string; text: string; onChange(text: string): void };

/** The browser's choice of a colour. It knows `#rrggbb` alone; every other text stays as it is beside it. */
function Colour({ label, text, onChange }: ColourProps) {
  const isReadOnly = useContext(ReadOnlyContext);
  const isKnown = /^#[0-9a-f]{6}$/i.test(text);
  return (
    <input
      type="color"
      className="colour"
      disabled={isReadOnly}
      data-empty={!isKnown || undefined}
      aria-label={say("Pick {label}", { label })}
      value={isKnown ? text.toLowerCase() : "#000000"}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

const native: Partial<Record<Input, RegExp>> = {
  date: /^\d{4}-\d\d-\d\d$/,
  time: /^\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/,
};

/** A date or a time. What the browser's own input cannot show is a text. */
export function TimeInput(props: TextProps) {
  const { text, set } = useText(props);
  const labels = useLabel(props);
  const { input, example } = props.shape;
  const [isNative] = useState(text === "" || (native[input]?.test(text) ?? false));
  return (
    <TextInput
      {...labels}
      type={isNative ? input : "text"}
      step={input === "time" ? 1 : undefined}
      placeholder={example}
      value={text}
      onChange={(event) => set(event.currentTarget.value)}
    />
  );
}

const moment = /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d)?$/;

/** A date and a time in the zone that was stored; a new one is in the zone of this device. */
export function DateInput(props: TextProps) {
  const { text, set } = useText(props);
  const labels = useLabel(props);
  const [isNative] = useState(text === "" || moment.test(text));
  const [, local = "", zone] = moment.exec(text) ?? [];
  if (!isNative) return <TextInput {...labels} value={text} onChange={(event) => set(event.currentTarget.value)} />;
  const change = (at: string): void => {
    // Browsers omit seconds of zero; a date-time has them.
    const whole = /T\d\d:\d\d$/.test(at) ? `${at}:00` : at;
    set(at === "" ? "" : whole + (text === "" ? offsetAt(at) : (zone ?? "")));
  };
  const hint = text !== "" && (zone === undefined ? say("Without a time zone") : zone === "Z" ? "UTC" : `UTC${zone}`);
  return (
    <TextInput
      {...labels}
      type="datetime-local"
      step={1}
      value={local}
      description={[labels.description, hint].filter(Boolean).join(" · ") || undefined}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}

/** The offset of this device's zone at a local time, `+02:00`. */
function offsetAt(local: string): string {
  const minutes = -new Date(local).getTimezoneOffset();
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const two = (n: number): string => String(n).padStart(2, "0");
  return minutes === 0 ? "Z" : `${minutes < 0 ? "-" : "+"}${two(hours)}:${two(rest)}`;
}
