import { Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { type File, isPicture, metaOf, readFile, translateMeta } from "../api/file.ts";
import { say } from "../language/say.ts";
import { refusalOf } from "../model/describe-refusal.ts";
import { languageName } from "../model/locale.ts";
import { useSession, useWritesLive } from "../session-context.ts";
import { Failure, Loading } from "../ui/state.tsx";
import { WritingContext, writingOf } from "../ui/writing.ts";
import { shownAbove, TextField, useStore } from "./file-fields.tsx";

/** The names of texts that the service gives a file, or that have their own places, in words. */
const textLabels: Partial<Record<string, string>> = {
  alt: say("What the picture shows"),
  title: say("Title"),
  description: say("Description"),
  credit: say("Credit"),
};

type FileTextsProps = { file: File; path: string; locale: string };

/** What a file says in another language, each text below that of the source. An empty one falls back. */
export function FileTexts({ file, path, locale }: FileTextsProps) {
  const [source = ""] = useSession().locales ?? [];
  const language = languageName(locale);
  const isLive = useWritesLive(locale);
  const writing = useMemo(() => writingOf(locale), [locale]);
  const { error, store } = useStore(path, locale);
  const read = useQuery({ queryKey: ["file", path, locale], queryFn: () => readFile(path, locale), staleTime: 0 });
  if (read.error) return <Failure error={read.error} title={say("The texts cannot be read")} />;
  const { data } = read;
  if (!data) return <Loading rows={3} />;
  const texts = metaOf(file).flatMap(([name, value]) =>
    typeof value === "string" && !shownAbove.has(name) ? name : [],
  );
  return (
    <Stack gap="sm">
      <WritingContext value={writing}>
        {[...(isPicture(file) ? ["alt"] : []), "title", "description", ...texts].map((name) => {
          const [said, text] = [textOf(file, name), textOf(data, name)];
          return (
            <TextField
              key={name}
              label={say("{label} in {language}", { label: textLabels[name] ?? name, language })}
              description={
                said === "" ? undefined : (
                  <span lang={source} dir="auto" className="source-text">
                    {said}
                  </span>
                )
              }
              value={text === said ? "" : text}
              onSave={(own, keepalive) => store(translateMeta(path, name, own, { locale, keepalive }))}
              isLong={name === "description"}
            />
          );
        })}
      </WritingContext>
      {error !== undefined && <Failure error={isLive ? error : refusalOf(error)} title={say("Not saved")} />}
    </Stack>
  );
}

const textOf = (file: File, name: string): string => {
  const text = file[name];
  return typeof text === "string" ? text : "";
};
