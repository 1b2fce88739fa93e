import { TextInput } from "@mantine/core";
import { useState } from "react";
import { createEntry } from "../api/entry.ts";
import { joinPath } from "../api/path.ts";
import { pathsBelow, reaches } from "../api/session.ts";
import { withoutCopy } from "../api/staged.ts";
import { useSession } from "../session-context.ts";
import { FormDialog } from "../ui/dialog.tsx";
import { addressOf, go } from "../ui/location.tsx";
import { queries } from "../ui/query.ts";
import { entryKey, rereadEntries } from "./query.ts";

type NewEntryProps = {
  /** The parent's id, until another id is typed. */
  below?: string;
  /** The id, if it is known. */
  at?: string;
  onClose(): void;
};

/** Asks for a title, suggests an id, creates a draft and opens it. */
export function NewEntry({ below = "", at, onClose }: NewEntryProps) {
  const [title, setTitle] = useState("");
  const [id, setId] = useState(at);
  const session = useSession();
  const paths = session.token.paths;
  const start = reaches(session, below) ? below : (pathsBelow(session, below)[0] ?? paths?.[0] ?? "");
  const suggested = joinPath(start, slugOf(title));
  const isOutside = !reaches(session, id ?? suggested);
  const create = async (): Promise<void> => {
    const created = await createEntry(id ?? suggested, { title, content: "", visibility: "draft" });
    queries.setQueryData(entryKey(created.entry.slug), withoutCopy(created));
    await rereadEntries();
    go(addressOf("entries", created.entry.slug));
  };
  return (
    <FormDialog
      title="New entry"
      submit="Create"
      onSubmit={create}
      onClose={onClose}
      isDisabled={(id ?? slugOf(title)) === "" || isOutside}
    >
      <TextInput
        label="Title"
        attributes={{ input: { dir: "auto" } }}
        value={title}
        onChange={(event) => setTitle(event.currentTarget.value)}
        autoComplete="off"
        data-autofocus
        required
      />
      <TextInput
        label="Id"
        description="Its place in the tree, like a path. It can be moved later."
        value={id ?? suggested}
        onChange={(event) => setId(event.currentTarget.value)}
        error={isOutside ? `Your token is for ${paths?.join(", ")}` : undefined}
        className="mono-input"
        spellCheck={false}
        autoComplete="off"
        required
      />
    </FormDialog>
  );
}

/** Lower-case ASCII letters, digits and hyphens. */
const slugOf = (title: string): string =>
  title
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "");
