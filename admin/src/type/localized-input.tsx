import { NativeSelect } from "@mantine/core";
import type { JsonObject } from "../api/json.ts";
import { say } from "../language/say.ts";
import { withKeyword } from "../model/type/schema-edit.ts";
import { useSession } from "../session-context.ts";

type LocalizedProps = { name: string; schema: JsonObject; onChange(schema: JsonObject): void };

const keyword = "x-octavo-localized";
const options = [
  { value: "", label: say("The same in all") },
  { value: "true", label: say("Translated") },
  { value: "required", label: say("Translated, and required where a translation is public") },
];

/** Whether each language has its own; nothing where the service has one alone. */
export function LocalizedInput({ name, schema, onChange }: LocalizedProps) {
  const hasLanguages = (useSession().locales ?? []).length > 1;
  const said = schema[keyword];
  if (!hasLanguages && said === undefined) return null;
  return (
    <NativeSelect
      label={say("Languages")}
      data={options}
      name={say("{name} in languages", { name })}
      value={said === undefined ? "" : String(said)}
      onChange={({ currentTarget: { value } }) =>
        onChange(withKeyword(schema, keyword, value === "" ? undefined : value === "true" ? true : value))
      }
    />
  );
}
