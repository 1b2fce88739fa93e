import { Radio, SimpleGrid, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import type { ContentType } from "../../../client/src/client.ts";
import { octavo } from "../api/octavo.ts";
import { say } from "../language/say.ts";
import { linesOf } from "../model/type/paths.ts";
import { type Starter, schemaOf, starters } from "../model/type/starters.ts";
import { FormDialog } from "../ui/dialog.tsx";
import { addressOf, go } from "../ui/location.tsx";
import { refresh } from "../ui/query.ts";

type NewTypeProps = { known: readonly ContentType[]; onClose(): void };

/** Creates a type, empty or as a common one begins, and opens it. */
export function NewType({ known, onClose }: NewTypeProps) {
  const [starter, setStarter] = useState<Starter>(starters[0] as Starter);
  const [typedTitle, setTitle] = useState<string>();
  const [typedId, setTypedId] = useState<string>();
  const [typedPaths, setPaths] = useState<string>();
  // What is typed stays when another beginning is chosen.
  const title = typedTitle ?? (starter.id === "" ? "" : starter.title);
  const id = typedId ?? idOf(title);
  const paths = typedPaths ?? starter.path;
  const isTaken = known.some((type) => type.id === id);
  const create = async (): Promise<void> => {
    // The API does not distinguish create and replace: another client can create the type between check and write.
    if (isTaken) throw new Error(say("There is a type with the id {id} already.", { id }));
    await octavo.types.put({ id, title: title.trim(), paths: linesOf(paths), schema: schemaOf(starter, known) });
    await refresh("types");
    go(addressOf("types", id));
  };
  return (
    <FormDialog
      title={say("New type")}
      submit={say("Create")}
      onSubmit={create}
      onClose={onClose}
      isDisabled={id === ""}
    >
      <TextInput
        label={say("Title")}
        placeholder={say("Concert")}
        value={title}
        onChange={(event) => setTitle(event.currentTarget.value)}
        data-autofocus
      />
      <StarterInput value={starter} onChange={setStarter} />
      <TextInput
        label={say("Id")}
        description={say("Small letters, digits, _ and -.")}
        value={id}
        error={isTaken ? say("There is a type with this id") : undefined}
        onChange={(event) => setTypedId(event.currentTarget.value)}
        className="mono-input"
        spellCheck={false}
        required
      />
      <Textarea
        label={say("Paths")}
        description={say(
          "Which entries are of this type, one pattern on each line. * is one segment of an id, ** any number.",
        )}
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

type StarterProps = { value: Starter; onChange(starter: Starter): void };

const StarterInput = ({ value, onChange }: StarterProps) => (
  <Radio.Group
    label={say("Begin with")}
    description={say("Its fields can be changed, removed and added to.")}
    value={value.id}
    onChange={(chosen) => onChange(starters.find((each) => each.id === chosen) as Starter)}
  >
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing={6} mt={6}>
      {starters.map((each) => (
        <Radio key={each.id} value={each.id} label={each.title} description={each.description} />
      ))}
    </SimpleGrid>
  </Radio.Group>
);

const idOf = (title: string): string =>
  title
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 64);
