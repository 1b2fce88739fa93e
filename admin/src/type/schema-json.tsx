import { Text } from "@mantine/core";
import { useState } from "react";
import { formatJson, isObject, isSame, type Json, parseJson } from "../api/json.ts";
import { say } from "../language/say.ts";
import { messageOf } from "../model/message.ts";
import { CodeEditor } from "../ui/code-editor.tsx";

type SchemaJsonProps = { schema: Json; onChange(schema: Json): void; onFault(fault: string | undefined): void };
type Typed = { text: string; value?: Json; fault?: string };

/** The schema as JSON. A text that is no JSON yet is kept as it is typed, and changes nothing. */
export function SchemaJson({ schema, onChange, onFault }: SchemaJsonProps) {
  const [typed, setTyped] = useState<Typed>(() => ({ text: formatJson(schema, 2), value: schema }));
  // The fields were changed since.
  const isOld = typed.fault === undefined && !isSame(typed.value, schema);
  const read = (text: string): void => {
    const now = readSchema(text);
    setTyped(now);
    onFault(now.fault);
    if (now.value !== undefined && !isSame(now.value, schema)) onChange(now.value);
  };
  return (
    <>
      <CodeEditor
        language="json"
        label={say("Schema as JSON")}
        value={isOld ? formatJson(schema, 2) : typed.text}
        onChange={read}
        minHeight={360}
      />
      {typed.fault !== undefined && (
        <Text size="xs" c="red" role="alert" mt={4}>
          {typed.fault}
        </Text>
      )}
    </>
  );
}

function readSchema(text: string): Typed {
  try {
    const value = parseJson(text);
    if (isObject(value) || typeof value === "boolean") return { text, value };
    return { text, fault: say("A schema is a JSON object, true or false") };
  } catch (error) {
    return { text, fault: messageOf(error) };
  }
}
