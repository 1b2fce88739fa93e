import { CheckCheck, Eye, EyeOff, Layers, Undo2 } from "lucide-react";
import { useState } from "react";
import type { Entry } from "../api/entry.ts";
import { say } from "../language/say.ts";
import { languageName } from "../model/locale.ts";
import { AddSelected } from "../release/add-selected.tsx";
import type { Selection } from "../ui/selection.ts";
import { SelectionAction } from "../ui/selection-bar.tsx";
import { ActDialog } from "./act-dialog.tsx";
import { type Act, acts } from "./acts.ts";

type ActionsProps = { path: string; locale: string; selection: Selection<Entry>; rest(): void };

const icons: Record<Act, typeof Eye> = { publish: Eye, unpublish: EyeOff, check: CheckCheck, discard: Undo2 };

/** Bulk actions on what the selected entries say in a language. What is of all languages is done in the source's list. */
export function TranslationActions({ path, locale, selection: { things, select }, rest }: ActionsProps) {
  const [asked, ask] = useState<Act | "release">();
  const close = (): void => {
    ask(undefined);
    rest();
  };
  const shared = { entries: things, locale, onDone: select, onClose: close };
  return (
    <>
      {(Object.keys(acts) as Act[]).map((act) => (
        <SelectionAction
          key={act}
          label={acts[act](languageName(locale)).verb}
          icon={icons[act]}
          onAct={() => ask(act)}
        />
      ))}
      <SelectionAction label={say("Add to a release…")} icon={Layers} onAct={() => ask("release")} />
      {asked === "release" && <AddSelected {...shared} />}
      {asked !== undefined && asked !== "release" && <ActDialog {...shared} act={asked} path={path} />}
    </>
  );
}
