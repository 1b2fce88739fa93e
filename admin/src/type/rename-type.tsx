import { TextInput } from "@mantine/core";
import { useState } from "react";
import type { ContentType } from "../../../client/src/client.ts";
import { octavo } from "../api/octavo.ts";
import { say } from "../language/say.ts";
import { FormDialog } from "../ui/dialog.tsx";
import { refresh } from "../ui/query.ts";

type RenameTypeProps = { type: ContentType; onRenamed?: ((id: string) => void) | undefined; onClose(): void };

/** Gives the type another id, with what refers to it. */
export function RenameType({ type: { id: before, title }, onRenamed, onClose }: RenameTypeProps) {
  const [id, setId] = useState(before);
  const rename = async (): Promise<void> => {
    await octavo.types.rename(before, id);
    onRenamed?.(id);
    await refresh("types", "entries");
  };
  return (
    <FormDialog
      title={say("Rename {title}", { title: title || before })}
      submit={say("Rename")}
      isDisabled={id === "" || id === before}
      onSubmit={rename}
      onClose={onClose}
    >
      <TextInput
        label={say("Id")}
        description={say(
          "Small letters, digits, _ and -. Types, entries and working copies that name the type follow.",
        )}
        value={id}
        onChange={(event) => setId(event.currentTarget.value)}
        className="mono-input"
        spellCheck={false}
        data-autofocus
      />
    </FormDialog>
  );
}
