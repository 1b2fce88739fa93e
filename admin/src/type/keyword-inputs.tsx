import { JsonInput, Switch, TextInput } from "@mantine/core";
import { useState } from "react";
import { formatJson, isNumber, isSame, type Json, type JsonObject, parseJson, parseNumber } from "../api/json.ts";
import { say } from "../language/say.ts";
import { messageOf } from "../model/message.ts";
import { withKeyword } from "../model/type/schema-edit.ts";

/** Inputs of one keyword of a schema; an empty one removes it. */

type KeywordProps = { label: string; keyword: string; schema: JsonObject; onChange(schema: JsonObject): void };

export function KeywordText({ label, keyword, schema, onChange }: KeywordProps) {
  const value = schema[keyword];
  return (
    <TextInput
      label={label}
      value={typeof value === "string" ? value : ""}
      onChange={(event) => onChange(withKeyword(schema, keyword, event.currentTarget.value || undefined))}
      className="mono-input"
      spellCheck={false}
    />
  );
}

/** A number keeps its digits. A text that is none changes nothing. */
export function KeywordNumber({ label, keyword, schema, onChange }: KeywordProps) {
  const value = schema[keyword];
  return (
    <NumberInput
      label={label}
      value={isNumber(value) ? value : undefined}
      onChange={(changed) => onChange(withKeyword(schema, keyword, changed))}
    />
  );
}

type NumberInputProps = { label: string; value: Json | undefined; onChange(value: Json | undefined): void };

export function NumberInput({ label, value, onChange }: NumberInputProps) {
  const [typed, setTyped] = useState(() => textOf(value));
  const read = typed.trim() === "" ? undefined : parseNumber(typed);
  const isWrong = typed.trim() !== "" && read === undefined;
  const shown = isWrong || isSame(read, value) ? typed : textOf(value);
  return (
    <TextInput
      label={label}
      inputMode="decimal"
      w={150}
      value={shown}
      error={isWrong ? say("Not a number") : undefined}
      onChange={(event) => {
        const text = event.currentTarget.value;
        setTyped(text);
        const number = parseNumber(text);
        if (text.trim() === "") onChange(undefined);
        else if (number !== undefined) onChange(number);
      }}
    />
  );
}

const textOf = (value: Json | undefined): string => (value === undefined ? "" : formatJson(value));

export function KeywordFlag({ label, keyword, schema, onChange }: KeywordProps) {
  return (
    <Switch
      label={label}
      checked={schema[keyword] === true}
      onChange={(event) => onChange(withKeyword(schema, keyword, event.currentTarget.checked || undefined))}
      mb={8}
    />
  );
}

type KeywordJsonProps = { label: string; value: Json | undefined; onChange(value: Json | undefined): void };

/** Any JSON; undefined for an empty text. What is no JSON yet changes nothing. */
export function KeywordJson({ label, value, onChange }: KeywordJsonProps) {
  const format = (json: Json | undefined): string => (json === undefined ? "" : formatJson(json, 2));
  const [typed, setTyped] = useState(() => format(value));
  const read = tryParse(typed);
  const shown = read.fault !== undefined || isSame(read.value, value) ? typed : format(value);
  return (
    <JsonInput
      label={label}
      value={shown}
      error={read.fault}
      autosize
      minRows={2}
      maxRows={14}
      className="mono-input"
      onChange={(text) => {
        setTyped(text);
        const now = tryParse(text);
        if (now.fault === undefined) onChange(now.value);
      }}
    />
  );
}

function tryParse(text: string): { value?: Json; fault?: string } {
  if (text.trim() === "") return {};
  try {
    return { value: parseJson(text) };
  } catch (error) {
    return { fault: messageOf(error) };
  }
}
