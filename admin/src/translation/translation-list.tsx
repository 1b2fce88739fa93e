import { Anchor, Button, Group, Menu, Text } from "@mantine/core";
import { Download, Languages } from "lucide-react";
import type { TranslationRow } from "../../../client/src/api.ts";
import { nameOf } from "../api/path.ts";
import { listTranslations, type TranslationState, xliffAddress } from "../api/translation.ts";
import { say } from "../language/say.ts";
import { languageName } from "../model/locale.ts";
import { type Column, from, ListPage, usePages } from "../ui/list.tsx";
import { LocaleSelect } from "../ui/locale-select.tsx";
import { addressOf, go, Link } from "../ui/location.tsx";
import { Segments } from "../ui/segments.tsx";
import { Empty } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";
import { ImportXliff } from "./import-xliff.tsx";

type Which = TranslationState | "all";
const which: Record<Which, string> = {
  ...{
    outdated: say("Outdated"),
    missing: say("Missing"),
    staged: say("Not published"),
    done: say("Done"),
    all: say("All"),
  },
};
const whichOf = (text: string | null): Which => (text !== null && Object.hasOwn(which, text) ? (text as Which) : "all");

type ListProps = { path: string; locale: string; search: URLSearchParams };

/** The entries of a section and how far each is translated into one language, with the files for translators. */
export function TranslationList({ path, locale, search }: ListProps) {
  const chosen = whichOf(search.get("state"));
  const state = chosen === "all" ? undefined : chosen;
  const pages = usePages({
    queryKey: ["translations", "list", path, locale, chosen],
    queryFn: ({ pageParam: cursor }) => listTranslations(path, { locale, state, cursor }),
    staleTime: 0,
  });
  const choose = (next: { locale?: string; state?: string }): void =>
    go(addressOf("translations", path, { locale, state: chosen, ...next }), "replace");
  return (
    <ListPage
      title={say("Translations into {language}", { language: languageName(locale) })}
      description={<Where path={path} />}
      actions={
        <>
          <LocaleSelect locale={locale} onChange={(other) => choose({ locale: other })} />
          <ExportMenu query={{ id: path, locale, state }} />
          <ImportXliff />
        </>
      }
      {...pages}
      failure={say("The list cannot be read")}
      above={
        <Group mb="md" className="wide-choice">
          <Segments label={say("State")} options={which} value={chosen} onChange={(next) => choose({ state: next })} />
        </Group>
      }
      empty={
        <Empty
          icon={Languages}
          title={
            chosen === "all" ? say("No entries") : say("Nothing is {which}", { which: which[chosen].toLowerCase() })
          }
        >
          {chosen === "missing" || chosen === "outdated" ? say("All of it is translated.") : undefined}
        </Empty>
      }
      table={{ columns: columnsOf(locale), keyOf: ({ id }) => id }}
    />
  );
}

const Where = ({ path }: { path: string }) => (
  <>
    {path === "" ? say("All entries.") : say("{path} and what is below.", { path })}{" "}
    <Anchor component={Link} href={addressOf("translations")} inherit underline="always">
      {say("All sections")}
    </Anchor>
  </>
);

const columnsOf = (locale: string): Column<TranslationRow>[] => [
  {
    label: say("Entry"),
    cell: { "data-fill": true },
    show: ({ id, title }) => (
      <>
        <Anchor component={Link} href={addressOf("entries", id, { locale })} size="sm" fw={550} dir="auto">
          {title || nameOf(id)}
        </Anchor>
        <Text size="xs" c="dimmed" className="mono" truncate title={id}>
          {id}
        </Text>
      </>
    ),
  },
  { label: say("State"), show: (row) => <span className="state-words">{wordsOf(row)}</span> },
  {
    label: say("Changed"),
    ...from("sm"),
    show: ({ modified_at: at }) => (at === null ? say("Never") : <Ago seconds={at} />),
  },
];

/** In words, with the names of the fields. */
function wordsOf({ exists, missing, outdated, staged }: TranslationRow): string {
  const parts = [
    !exists && say("not translated"),
    outdated.length > 0 && say("outdated: {outdated}", { outdated: outdated.join(", ") }),
    exists && missing.length > 0 && say("missing: {missing}", { missing: missing.join(", ") }),
    staged.length > 0 && say("not published: {staged}", { staged: staged.join(", ") }),
  ].filter((part) => part !== false);
  const text = parts.length > 0 ? parts.join("; ") : "done";
  return text.charAt(0).toUpperCase() + text.slice(1);
}

type ExportProps = { query: { id: string; locale: string; state: TranslationState | undefined } };

/** The texts as a file that translators' programs read. */
const ExportMenu = ({ query }: ExportProps) => (
  <Menu position="bottom-end">
    <Menu.Target>
      <Button variant="default" leftSection={<Download size={15} />}>
        {say("Export")}
      </Button>
    </Menu.Target>
    <Menu.Dropdown>
      {(["2.1", "1.2"] as const).map((version) => (
        <Menu.Item key={version} component="a" href={xliffAddress({ ...query, version })} download>
          {say("XLIFF {version}", { version })}
        </Menu.Item>
      ))}
    </Menu.Dropdown>
  </Menu>
);
