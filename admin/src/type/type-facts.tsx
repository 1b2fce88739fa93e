import { Select, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { say } from "../language/say.ts";
import { linesOf } from "../model/type/paths.ts";
import type { TypeEditing } from "./use-type-draft.ts";

const modes = [
  { value: "enforce", label: say("Refuse data that does not fit") },
  { value: "off", label: say("Check nothing") },
];

/** What a type has beside its schema: title, description, paths, mode. */
export function TypeFacts({ editing: { draft, edit } }: { editing: TypeEditing }) {
  const [typed, setTyped] = useState(() => draft.paths.join("\n"));
  // What another session stored was loaded.
  const isOld = linesOf(typed).join("\n") !== draft.paths.join("\n");
  return (
    <div className="type-facts panel">
      <TextInput
        label={say("Title")}
        value={draft.title}
        onChange={(event) => edit({ title: event.currentTarget.value })}
        attributes={{ input: { dir: "auto" } }}
      />
      <Select
        label={say("Mode")}
        data={modes}
        value={draft.mode}
        allowDeselect={false}
        onChange={(mode) => edit({ mode: mode as "enforce" | "off" })}
      />
      <Textarea
        label={say("Description")}
        value={draft.description}
        onChange={(event) => edit({ description: event.currentTarget.value })}
        autosize
        minRows={2}
        maxRows={8}
      />
      <Textarea
        label={say("Paths")}
        description={say(
          "One pattern of entry ids on each line: * is one segment, ** any number. None: entries that name the type in their field fieldset.",
        )}
        value={isOld ? draft.paths.join("\n") : typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          edit({ paths: linesOf(event.currentTarget.value) });
        }}
        autosize
        minRows={2}
        maxRows={8}
        className="mono-input"
        spellCheck={false}
      />
    </div>
  );
}
