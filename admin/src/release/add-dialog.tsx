import { NativeSelect, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { createRelease, type Release } from "../api/release.ts";
import { say } from "../language/say.ts";
import { rereadReleases, useReleases } from "../query/releases.ts";
import { FormDialog } from "../ui/dialog.tsx";

type AddProps = {
  title?: string;
  submit?: string;
  isDisabled?: boolean;
  /** Puts it into a release, which may be new. */
  onSubmit(release: Pick<Release, "id" | "title">): Promise<void>;
  onClose(): void;
  /** What is said before. */
  children?: ReactNode;
};

/** Asks for a release, which may be made, and puts something into it. */
export function AddToRelease({ title = say("Add to a release"), submit = say("Add"), children, ...rest }: AddProps) {
  const { input, isReady, take } = useReleaseInput();
  const add = async (): Promise<void> => {
    await rest.onSubmit((await take()) as Release);
    await rereadReleases();
  };
  return (
    <FormDialog
      title={title}
      submit={submit}
      isDisabled={rest.isDisabled || !isReady}
      onSubmit={add}
      onClose={rest.onClose}
    >
      {children}
      {input}
    </FormDialog>
  );
}

const fresh = "";
const none = "none";

type ReleaseInput = {
  input: ReactNode;
  isReady: boolean;
  /** The release, made if it is new; undefined for none. */
  take(): Promise<Release | undefined>;
};

/** A choice of an open release, of a new one, or of none where there is a label for that. */
export function useReleaseInput(noneLabel?: string): ReleaseInput {
  const { open, chosen } = useReleases();
  const [id, setId] = useState(chosen?.id ?? (noneLabel === undefined ? (open[0]?.id ?? fresh) : none));
  const [name, setName] = useState("");
  const known = open.find((each) => each.id === id);
  const isNew = !known && (id !== none || noneLabel === undefined);
  const input = (
    <>
      {(open.length > 0 || noneLabel !== undefined) && (
        <NativeSelect
          label={say("Release")}
          value={known?.id ?? (isNew ? fresh : none)}
          onChange={(event) => setId(event.currentTarget.value)}
          data={[
            ...(noneLabel === undefined ? [] : [{ value: none, label: noneLabel }]),
            ...open.map((each) => ({ value: each.id, label: each.title })),
            { value: fresh, label: say("New release…") },
          ]}
          data-autofocus
        />
      )}
      {isNew && <TitleInput value={name} onChange={setName} />}
    </>
  );
  const take = async (): Promise<Release | undefined> => {
    if (!isNew) return known;
    const made = await createRelease(name.trim());
    await rereadReleases();
    // It is not made twice when what follows fails.
    setId(made.id);
    return made;
  };
  return { input, isReady: !isNew || name.trim() !== "", take };
}

/** The title of a release. */
export const TitleInput = ({ value, onChange }: { value: string; onChange(title: string): void }) => (
  <TextInput
    label={say("Title")}
    placeholder={say("Spring campaign")}
    value={value}
    onChange={(event) => onChange(event.currentTarget.value)}
    maxLength={200}
    autoComplete="off"
    data-autofocus
    required
  />
);
