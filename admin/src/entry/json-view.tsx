import { Stack, Text } from "@mantine/core";
import { useContext, useState } from "react";
import { formatJson, isObject, type JsonObject, parseJson } from "../api/json.ts";
import { FaultContext, jsonName, useFault } from "../field/fault.ts";
import { language } from "../language/language.ts";
import { say, sayMany } from "../language/say.ts";
import { changesOf, foreignKeys, isChanged, ownFields, withOwnFields } from "../model/draft/draft.ts";
import type { DraftEdit } from "../model/draft/editing.ts";
import { messageOf } from "../model/message.ts";
import { CodeEditor } from "../ui/code-editor.tsx";

/** The typed text, and its fields or the reason why it is invalid. */
type Typed = { text: string; fields?: JsonObject; fault?: string };

/** All fields of the entry as JSON; long numbers keep their digits. */
export function JsonView({ editing: { base, draft, edit } }: { editing: DraftEdit }) {
  const own = ownFields(draft);
  const { typedBefore } = useContext(FaultContext);
  const [typed, setTyped] = useState<Typed>(() => {
    const before = typedBefore(jsonName);
    return before === undefined ? { text: formatJson(own, 2), fields: own } : readFields(before, { ...base, ...draft });
  });
  const { fields, fault } = typed;
  // The state of a concurrent change was loaded.
  const isOld = fields !== undefined && isChanged(changesOf(fields, own));
  useFault(jsonName, fault && say("the JSON cannot be read"), typed.text);
  const read = (text: string): void => {
    const now = readFields(text, { ...base, ...draft });
    setTyped(now);
    if (now.fields) edit((before) => withOwnFields(before, now.fields as JsonObject));
  };
  return (
    <Stack gap={6} className="form">
      <CodeEditor
        language="json"
        label={say("Fields as JSON")}
        value={isOld ? formatJson(own, 2) : typed.text}
        onChange={read}
        minHeight={420}
      />
      <Text size="xs" c={fault ? "red" : "dimmed"} role={fault ? "alert" : undefined} className="json-state">
        {fault ?? say("All fields of the entry, except those that the service sets.")}
      </Text>
    </Stack>
  );
}

const names = new Intl.ListFormat(language, { type: "conjunction" });

function readFields(text: string, entry: JsonObject): Typed {
  try {
    const fields = parseJson(text);
    if (!isObject(fields))
      return { text, fault: say("The fields of an entry are a JSON object: {example}", { example: "{ … }" }) };
    const foreign = foreignKeys(fields, entry).map((key) => `"${key}"`);
    if (foreign.length === 0) return { text, fields: ownFields(fields) };
    return {
      text,
      fault: sayMany(
        foreign.length,
        "{fields} is not changed here. Omit the fields that the service sets, and set the others under Publishing.",
        "{fields} are not changed here. Omit the fields that the service sets, and set the others under Publishing.",
        { fields: names.format(foreign) },
      ),
    };
  } catch (error) {
    return { text, fault: messageOf(error) };
  }
}
