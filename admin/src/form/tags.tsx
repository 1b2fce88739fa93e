import { TagsInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useContext, useState } from "react";
import { listEntries } from "../api/entry.ts";
import type { Json } from "../api/json.ts";
import { parentOf } from "../api/path.ts";
import { reaches } from "../api/session.ts";
import { say } from "../language/say.ts";
import { memberOf, segmentsOf } from "../model/form/pointer.ts";
import type { ShapeOf } from "../model/form/schema.ts";
import { useMay, useSession } from "../session-context.ts";
import { ReadOnlyContext } from "../ui/read-only.ts";
import { useWriting } from "../ui/writing.ts";
import { type ControlProps, FormContext } from "./context.ts";
import { useLabel } from "./label.ts";

/** Short texts, no two the same: Enter or a comma adds one, Backspace takes away the last. Those in use are suggested. */
export function Tags(props: ControlProps<ShapeOf<"tags">>) {
  const { shape, pointer, value, isRequired, edit } = props;
  const tags = Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
  const [before] = useState(value);
  const [isUsed, setUsed] = useState(false);
  const isReadOnly = useContext(ReadOnlyContext);
  // An emptied list becomes absent, unless it was stored as one.
  const isKept = isRequired || Array.isArray(before);
  return (
    <TagsInput
      {...useLabel(props)}
      attributes={{ input: useWriting() }}
      placeholder={tags.length === 0 ? say("Type and press Enter") : undefined}
      data={useTagsInUse(pointer, isUsed)}
      limit={20}
      maxTags={shape.maxItems}
      readOnly={isReadOnly}
      isDuplicate={(typed, present) => present.includes(typed)}
      value={tags}
      onFocus={() => setUsed(true)}
      onChange={(changed) => edit(() => (changed.length > 0 || isKept ? changed : undefined))}
    />
  );
}

const mostRead = 500;

/** The texts that the entries beside this one have in the same field. */
function useTagsInUse(pointer: string, isUsed: boolean): string[] {
  const parent = parentOf(useContext(FormContext).slug);
  const isReached = reaches(useSession(), parent);
  const mayRead = useMay("entries");
  const [field = "", ...rest] = segmentsOf(pointer);
  const { data } = useQuery({
    queryKey: ["tags", parent, pointer],
    queryFn: async ({ signal }) => {
      const { items } = await listEntries(parent, { only: [field], limit: mostRead } as object, { signal });
      const found = items.flatMap((entry) => textsAt(entry[field], rest));
      return [...new Set(found)].sort((a, b) => a.localeCompare(b));
    },
    enabled: isUsed && mayRead && isReached && field !== "",
    retry: false,
  });
  return data ?? [];
}

/** The texts of a list below a value; a number in the path is any item. */
function textsAt(value: Json | undefined, [segment, ...rest]: readonly string[]): string[] {
  if (segment !== undefined) {
    const inside = Array.isArray(value) ? value : [memberOf(value, segment)];
    return inside.flatMap((each) => textsAt(each, rest));
  }
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}
