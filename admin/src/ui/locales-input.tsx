import { MultiSelect } from "@mantine/core";
import { say } from "../language/say.ts";
import { languageOf } from "../model/locale.ts";
import { useSession } from "../session-context.ts";

type LocalesInputProps = { value: string[]; onChange(locales: string[]): void };

/** The locales of a token or a role; nothing where the service has none, and none is to be taken away. */
export function LocalesInput({ value, onChange }: LocalesInputProps) {
  const { locales } = useSession();
  const all = [...new Set([...(locales ?? []), ...value])];
  if (all.length === 0) return null;
  return (
    <MultiSelect
      label={say("Languages")}
      description={say("Only what these say is changed, nothing that all languages have; none for all.")}
      placeholder={value.length === 0 ? say("All") : undefined}
      data={all.map((locale) => ({ value: locale, label: languageOf(locale) }))}
      value={value}
      onChange={onChange}
    />
  );
}
