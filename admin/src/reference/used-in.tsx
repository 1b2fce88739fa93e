import { Waypoints } from "lucide-react";
import { type Referred, readReferences } from "../api/referrers.ts";
import { say } from "../language/say.ts";
import { Dialog } from "../ui/dialog.tsx";
import { ListStates, usePages } from "../ui/list.tsx";
import { Empty } from "../ui/state.tsx";
import { ReferenceList } from "./reference-list.tsx";

type UsedInProps = { thing: Referred; name: string; onClose(): void };

/** The entries that refer to a thing, in pages of 100. */
export function UsedIn({ thing, name, onClose }: UsedInProps) {
  const references = usePages({
    queryKey: ["references", thing.noun, thing.path],
    queryFn: ({ pageParam }) => readReferences(thing, { cursor: pageParam }),
    staleTime: 0,
  });
  const empty = (
    <Empty icon={Waypoints} title={say("Not used")}>
      {say(
        "No entry refers to it, in a field of its type or by a link in a text. Working copies and the trash do not count.",
      )}
    </Empty>
  );
  return (
    <Dialog onClose={onClose} title={say("{name} is used in", { name })}>
      <ListStates {...references} failure={say("Who refers to it cannot be read")} rows={3} empty={empty}>
        {(items) => <ReferenceList references={items} onFollow={onClose} />}
      </ListStates>
    </Dialog>
  );
}
