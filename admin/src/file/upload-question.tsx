import { Anchor, Button, Group, NativeSelect, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { say, sayMany } from "../language/say.ts";
import { useWritesLive } from "../session-context.ts";
import { FormDialog } from "../ui/dialog.tsx";
import { fileAddress } from "../ui/file-address.ts";
import { sayParts } from "../ui/say-parts.tsx";
import type { Already } from "./already.ts";
import { answer, type Upload, useUploads } from "./uploads.ts";

type Choice = "replace" | "both" | "skip";
const choices: Record<Choice, string> = {
  replace: say("Replace it"),
  both: say("Keep both"),
  skip: say("Do not upload it"),
};
const allOf: Record<Choice, string> = { replace: say("Replace all"), both: say("Keep all"), skip: say("Upload none") };

/** Asks what becomes of uploads whose name is taken, or whose bytes are there already; each as it is met. */
export function UploadQuestion() {
  const asked = useUploads().filter(({ state }) => state === "asking");
  const [first] = asked;
  // Those that are met after an answer are asked about anew.
  return first && <Question key={first.id} asked={asked} />;
}

function Question({ asked }: { asked: readonly Upload[] }) {
  const [chosen, setChosen] = useState<ReadonlyMap<number, Choice>>(new Map());
  const mayReplace = useWritesLive();
  const offered = ({ already }: Upload): Choice[] =>
    mayReplace && isOther(already) ? ["replace", "both", "skip"] : ["both", "skip"];
  const choiceOf = (upload: Upload): Choice => chosen.get(upload.id) ?? (upload.already?.same.length ? "skip" : "both");
  const choose = (uploads: readonly Upload[], choice: Choice): void =>
    setChosen(new Map([...chosen, ...uploads.map(({ id }) => [id, choice] as const)]));
  const common = (["replace", "both", "skip"] as const).filter((each) =>
    asked.every((upload) => offered(upload).includes(each)),
  );
  return (
    <FormDialog
      title={
        asked.length === 1
          ? say("A file is already there")
          : sayMany(asked.length, "{count} file are already there", "{count} files are already there")
      }
      submit={say("Go on")}
      onSubmit={async () => {
        for (const upload of asked) answer(upload.id, namingOf(upload, choiceOf(upload)));
      }}
      onClose={() => {
        for (const { id } of asked) answer(id, undefined);
      }}
    >
      {asked.length > 1 && (
        <Group gap="xs">
          {common.map((each) => (
            <Button key={each} size="xs" variant="default" onClick={() => choose(asked, each)}>
              {allOf[each]}
            </Button>
          ))}
        </Group>
      )}
      <Stack gap="md" mah="50dvh" className="upload-asked">
        {asked.map((upload, i) => (
          <Stack key={upload.id} gap={4}>
            <Met upload={upload} />
            <NativeSelect
              label={say("What becomes of {name}", { name: upload.file.name })}
              data={offered(upload).map((value) => ({ value, label: choices[value] }))}
              value={choiceOf(upload)}
              onChange={(event) => choose([upload], event.currentTarget.value as Choice)}
              data-autofocus={i === 0 || undefined}
            />
          </Stack>
        ))}
      </Stack>
    </FormDialog>
  );
}

/** The name is taken by a file with other bytes. */
const isOther = (already: Already | undefined): boolean =>
  already?.taken !== undefined && !(already.isByBytes && already.same.includes(already.taken));

const namingOf = ({ file }: Upload, choice: Choice) =>
  choice === "skip" ? undefined : choice === "both" ? "number" : { replaced: file.name };

/** More paths are not named. */
const mostNamed = 3;

function Met({ upload: { folder, already } }: { upload: Upload }) {
  if (!already) return null;
  const { same, isByBytes } = already;
  return (
    <>
      {isOther(already) && (
        <Text size="sm">
          {folder === ""
            ? say("In the top folder another file has this name already.")
            : say("In {folder} another file has this name already.", { folder })}
        </Text>
      )}
      {same.slice(0, mostNamed).map((path) => (
        <Text key={path} size="sm">
          {isByBytes
            ? sayParts("The same file is already at {path}", { path: <FileLink path={path} /> })
            : sayParts("A file of the same name and size is already at {path}", { path: <FileLink path={path} /> })}
        </Text>
      ))}
      {same.length > mostNamed && (
        <Text size="sm">
          {sayMany(same.length - mostNamed, "It is at {count} more path.", "It is at {count} more paths.")}
        </Text>
      )}
    </>
  );
}

const FileLink = ({ path }: { path: string }) => (
  <Anchor href={fileAddress(path)} target="_blank" rel="noopener" inherit underline="always">
    {path}
  </Anchor>
);
