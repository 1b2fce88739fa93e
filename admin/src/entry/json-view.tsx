import { Stack, Text } from "@mantine/core";
import { useState } from "react";
import { formatJson, isObject, type JsonObject, parseJson } from "../api/json.ts";
import { CodeEditor } from "../ui/code-editor.tsx";
import { messageOf } from "../ui/state.tsx";
import { type Draft, ownFields, withOwnFields } from "./draft.ts";

type JsonViewProps = { draft: Draft; onChange(draft: Draft): void };

/** All fields of the entry as one JSON text; numbers keep their digits. */
export function JsonView({ draft, onChange }: JsonViewProps) {
  const [initial] = useState(() => formatJson(ownFields(draft), 2));
  const [fault, setFault] = useState<string>();
  const read = (text: string): void => {
    try {
      onChange(withOwnFields(draft, parseFields(text)));
      setFault(undefined);
    } catch (error) {
      setFault(messageOf(error));
    }
  };
  return (
    <Stack gap={6} className="form">
      <CodeEditor language="json" label="Fields as JSON" value={initial} onChange={read} minHeight={420} />
      <Text size="xs" c={fault ? "red" : "dimmed"} role={fault ? "alert" : undefined} className="json-state">
        {fault ?? "All fields of the entry. What the service sets by itself is left out."}
      </Text>
    </Stack>
  );
}

/** Throws SyntaxError. */
function parseFields(text: string): JsonObject {
  const value = parseJson(text);
  if (isObject(value)) return value;
  throw new SyntaxError("The fields of an entry are a JSON object: { … }");
}
