import { Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import type { ContentType } from "../../../client/src/client.ts";
import { octavo } from "../api/octavo.ts";
import { FormDialog } from "../ui/dialog.tsx";
import { addressOf, go } from "../ui/location.tsx";
import { refresh } from "../ui/query.ts";
import { linesOf } from "./paths.ts";

type NewTypeProps = { known: readonly ContentType[]; onClose(): void };

/** Creates a type with a title field, and opens it. */
export function NewType({ known, onClose }: NewTypeProps) {
  const [title, setTitle] = useState("");
  const [typedId, setTypedId] = useState<string>();
  const [paths, setPaths] = useState("");
  const id = typedId ?? idOf(title);
  const create = async (): Promise<void> => {
    // The API does not distinguish create and replace: another client can create the type between check and write.
    if (known.some((type) => type.id === id)) throw new Error(`There is a type with the id ${id} already.`);
    const schema = { type: "object", properties: { title: { type: "string", title: "Title" } } };
    await octavo.types.put({ id, title: title.trim(), paths: linesOf(paths), schema });
    await refresh("types");
    go(addressOf("types", id));
  };
  return (
    <FormDialog title="New type" submit="Create" onSubmit={create} onClose={onClose} isDisabled={id === ""}>
      <TextInput
        label="Title"
        placeholder="Concert"
        value={title}
        onChange={(event) => setTitle(event.currentTarget.value)}
        data-autofocus
      />
      <TextInput
        label="Id"
        description="Small letters, digits, _ and -. It stays."
        value={id}
        onChange={(event) => setTypedId(event.currentTarget.value)}
        className="mono-input"
        spellCheck={false}
        required
      />
      <Textarea
        label="Paths"
        description="Which entries are of this type, one pattern on each line. * is one segment of an id, ** any number."
        placeholder="concerts/*"
        value={paths}
        onChange={(event) => setPaths(event.currentTarget.value)}
        autosize
        minRows={2}
        className="mono-input"
        spellCheck={false}
      />
    </FormDialog>
  );
}

const idOf = (title: string): string =>
  title
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 64);
