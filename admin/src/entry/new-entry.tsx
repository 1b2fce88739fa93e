import { NativeSelect, TextInput } from "@mantine/core";
import { useState } from "react";
import type { ContentType } from "../../../client/src/client.ts";
import { createEntry } from "../api/entry.ts";
import type { JsonObject } from "../api/json.ts";
import { joinPath } from "../api/path.ts";
import { pathsBelow, reaches } from "../api/session.ts";
import { withoutCopy } from "../api/staged.ts";
import { useSession } from "../session-context.ts";
import type { Types } from "../type/types.ts";
import { useTypesRead } from "../type/use-types.ts";
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
  const { types } = useTypesRead();
  const [chosen, setChosen] = useState("");
  const place = id ?? suggested;
  const choices = types ? choicesAt(types, place) : [];
  const own = types?.typeOf(place, undefined);
  const type = choices.some((each) => each.id === chosen) ? chosen : "";
  const create = async (): Promise<void> => {
    const data = await startOf(title, place, type, types);
    const created = await createEntry(place, { ...data, visibility: "draft" });
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
      {types && (choices.length > 0 || own) && (
        <NativeSelect
          label="Type"
          description="Which fields it has"
          value={type}
          onChange={(event) => setChosen(event.currentTarget.value)}
          data={[
            { value: "", label: nameOfType(own) ?? "No type" },
            ...choices.map((each) => ({ value: each.id, label: nameOfType(each) ?? each.id })),
          ]}
        />
      )}
    </FormDialog>
  );
}

const nameOfType = (type: ContentType | undefined): string | undefined => type && (type.title || type.id);

/** The types that an entry at this id can name in its `fieldset`, besides the one that it has by its id. */
function choicesAt({ all, typeOf }: Types, id: string): ContentType[] {
  const own = typeOf(id, undefined);
  return all.filter((type) => type.id !== own?.id && typeOf(id, type.id)?.id === type.id);
}

/** The data of a new entry: the defaults of its type, and what all entries begin with as far as the type accepts it. */
async function startOf(title: string, id: string, chosen: string, types: Types | undefined): Promise<JsonObject> {
  const type = types?.typeOf(id, chosen || undefined);
  if (!types || !type) return { title, content: "" };
  const { newData } = await import("../form/root.ts");
  return { ...newData(title, type.id, types.all), ...(chosen !== "" && { fieldset: chosen }) };
}

/** Lower-case ASCII letters, digits and hyphens. */
const slugOf = (title: string): string =>
  title
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "");
