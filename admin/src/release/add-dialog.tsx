import { NativeSelect, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { createRelease, type Release } from "../api/release.ts";
import { FormDialog } from "../ui/dialog.tsx";
import { rereadReleases, useReleases } from "./chosen.ts";

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

const fresh = "";

/** Asks for a release, which may be made, and puts something into it. */
export function AddToRelease({ title = "Add to a release", submit = "Add", children, ...rest }: AddProps) {
  const { open, chosen } = useReleases();
  const [id, setId] = useState(chosen?.id ?? open[0]?.id ?? fresh);
  const [name, setName] = useState("");
  const known = open.find((each) => each.id === id);
  const add = async (): Promise<void> => {
    await rest.onSubmit(known ?? (await createRelease(name.trim())));
    await rereadReleases();
  };
  return (
    <FormDialog
      title={title}
      submit={submit}
      isDisabled={rest.isDisabled || (!known && name.trim() === "")}
      onSubmit={add}
      onClose={rest.onClose}
    >
      {children}
      {open.length > 0 && (
        <NativeSelect
          label="Release"
          value={known?.id ?? fresh}
          onChange={(event) => setId(event.currentTarget.value)}
          data={[
            ...open.map((each) => ({ value: each.id, label: each.title })),
            { value: fresh, label: "New release…" },
          ]}
          data-autofocus
        />
      )}
      {!known && <TitleInput value={name} onChange={setName} />}
    </FormDialog>
  );
}

/** The title of a release. */
export const TitleInput = ({ value, onChange }: { value: string; onChange(title: string): void }) => (
  <TextInput
    label="Title"
    placeholder="Spring campaign"
    value={value}
    onChange={(event) => onChange(event.currentTarget.value)}
    maxLength={200}
    autoComplete="off"
    data-autofocus
    required
  />
);
