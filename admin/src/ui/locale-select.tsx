import { NativeSelect } from "@mantine/core";
import { say } from "../language/say.ts";
import { languageName, languageOf } from "../model/locale.ts";
import { useSession } from "../session-context.ts";

/** The locale that an address names, unless it is the source's; without one that of whoever may not write the source. */
export function useLocale(search: URLSearchParams): string | undefined {
  const { locales, token } = useSession();
  if (!locales) return undefined;
  const [source = ""] = locales;
  const asked = search.get("locale");
  const named = asked !== null && locales.includes(asked) ? asked : undefined;
  const locale =
    named ?? (token.locales?.includes(source) ? source : token.locales?.find((own) => locales.includes(own)));
  return locale === source ? undefined : locale;
}

/** The part of an address that names the locale. The source is named where it would not be opened otherwise. */
export const inLocale = (locale: string | undefined): Record<string, string> => (locale ? { locale } : {});

type LocaleSelectProps = { locale: string | undefined; onChange(locale: string): void };

/** In which language the content is shown; nothing where the service has one alone. */
export function LocaleSelect({ locale, onChange }: LocaleSelectProps) {
  const { locales } = useSession();
  if (!locales || locales.length < 2) return null;
  const [source = ""] = locales;
  return (
    <NativeSelect
      aria-label={say("Language")}
      size="xs"
      className="locale-select"
      data={locales.map((each) => ({
        value: each,
        label: each === source ? say("{language}, the source", { language: languageName(each) }) : languageOf(each),
      }))}
      value={locale ?? source}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
