import { Button, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { type KeyboardEvent, useRef, useState } from "react";
import { type File, isPicture, pathOf, putAlt } from "../api/file.ts";
import { nameOf } from "../api/path.ts";
import { say, sayMany } from "../language/say.ts";
import { doEach } from "../model/bulk/each.ts";
import { FormDialog } from "../ui/dialog.tsx";
import { refresh } from "../ui/query.ts";
import { useWriting } from "../ui/writing.ts";
import { useMayDescribe } from "./describing.ts";
import { Thumbnail } from "./thumbnail.tsx";

type DescribeDialogProps = { files: readonly File[]; onClose(): void };

/** Asks what several pictures show, one after the other; what stays empty stays as it is. */
export function DescribeDialog({ files: given, onClose }: DescribeDialogProps) {
  // What was asked stays: the list is read again.
  const [files, setFiles] = useState(given);
  const [texts, setTexts] = useState<ReadonlyMap<string, string>>(new Map());
  const writing = useWriting();
  const host = useRef<HTMLDivElement>(null);
  const textOf = (file: File): string => texts.get(pathOf(file)) ?? storedOf(file);
  const save = async (): Promise<void> => {
    const changed = files.filter((file) => textOf(file).trim() !== storedOf(file));
    const { failed, message, errors } = await doEach(
      changed,
      (file) => nameOf(pathOf(file)),
      (file) => putAlt(file, pathOf(file), textOf(file).trim()),
    );
    await refresh("files", "file");
    if (failed.length === 0) return;
    setFiles(failed);
    throw new AggregateError(errors, message);
  };
  const goOn = (event: KeyboardEvent<HTMLInputElement>): void => {
    if (event.key !== "Enter") return;
    const inputs = [...(host.current?.querySelectorAll("input") ?? [])];
    const next = inputs[inputs.indexOf(event.currentTarget) + 1];
    if (!next) return;
    event.preventDefault();
    next.focus();
  };
  return (
    <FormDialog
      title={sayMany(files.length, "What do {count} picture show?", "What do {count} pictures show?")}
      submit={say("Save")}
      onSubmit={save}
      onClose={onClose}
      size="lg"
    >
      <Stack ref={host} gap="md" className="describe-rows">
        {files.map((file, i) => (
          <div key={pathOf(file)} className="describe-row">
            <span className="describe-picture">
              <Thumbnail file={file} width={112} height={84} />
            </span>
            <TextInput
              label={file.filename}
              value={textOf(file)}
              onChange={({ currentTarget: { value } }) => setTexts(new Map([...texts, [pathOf(file), value]]))}
              onKeyDown={goOn}
              attributes={{ input: writing }}
              data-autofocus={i === 0 || undefined}
            />
          </div>
        ))}
      </Stack>
      <Text size="xs" c="dimmed">
        {say("Read to people who do not see it, and by search engines. Enter goes to the next one.")}
      </Text>
    </FormDialog>
  );
}

const storedOf = ({ alt }: File): string => (typeof alt === "string" ? alt : "");

/** Describes the pictures of a list. */
export function DescribeAll({ files }: { files: readonly File[] }) {
  const [isOpen, open] = useDisclosure(false);
  const mayDescribe = useMayDescribe();
  const pictures = files.filter(isPicture);
  if (!mayDescribe || pictures.length === 0) return null;
  return (
    <>
      <Button size="xs" variant="default" onClick={open.open}>
        {say("Describe them…")}
      </Button>
      {isOpen && <DescribeDialog files={pictures} onClose={open.close} />}
    </>
  );
}
