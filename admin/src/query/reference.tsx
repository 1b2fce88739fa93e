import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { titleOf } from "../api/entry.ts";
import { nameOf } from "../api/path.ts";
import { pictureOf } from "../model/entry/entry-row.ts";
import { useMay } from "../session-context.ts";
import { Thumbnail } from "../ui/thumbnail.tsx";
import { findEntry } from "./find-entry.ts";
import { useTypesRead } from "./use-types.ts";

/** What a reference refers to, on one line: as people know it. */

/** The query of an entry by its id. */
export const foundQuery = (id: string) => ({
  queryKey: ["collection", "entry", id],
  queryFn: () => findEntry(id),
  staleTime: 60_000,
});

type NameProps = { id: string; hasPicture?: boolean };

/** The title of an entry, and its picture where its type has one; the id of one that is not there. */
export function EntryTitle({ id, hasPicture = true }: NameProps) {
  const { types } = useTypesRead();
  const { data: entry } = useQuery({ ...foundQuery(id), enabled: useMay("entries") && id !== "" });
  if (!entry) return <Line className="typed-value mono">{id}</Line>;
  const picture = hasPicture ? pictureOf(entry, types?.typeOf(entry.slug, entry.fieldset)) : undefined;
  return (
    <span className="reference" title={id}>
      <Thumbnail path={picture} />
      <Line className="typed-value">{titleOf(entry)}</Line>
    </span>
  );
}

/** The name of a file, and what it shows. */
export const FileName = ({ path }: { path: string }) => (
  <span className="reference" title={path}>
    <Thumbnail path={path} />
    <Line className="typed-value">{nameOf(path)}</Line>
  </span>
);

const Line = ({ className, children }: { className: string; children: ReactNode }) => (
  <span className={className} dir="auto">
    {children}
  </span>
);
