import "./reference.css";
import { Anchor } from "@mantine/core";
import type { ReactNode } from "react";
import type { Reference } from "../../../client/src/client.ts";
import { say, sayMany } from "../language/say.ts";
import { pointerWords } from "../model/form/pointer-words.ts";
import { EntryTitle } from "../query/reference.tsx";
import { addressOf, Link } from "../ui/location.tsx";

const mostPointers = 5;

type ReferenceListProps = {
  references: readonly Reference[];
  /** Follows a link within the page; without it links open a new tab, and what is open here stays. */
  onFollow?(): void;
  /** A last line. */
  children?: ReactNode;
};

/** Entries that refer to something, and where. */
export function ReferenceList({ references, onFollow, children }: ReferenceListProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls.
    <ul className="reference-list" aria-label={say("Entries that refer to it")} tabIndex={0}>
      {references.map(({ id, pointers, has_more: hasMore }) => (
        <li key={id}>
          <EntryLink id={id} onFollow={onFollow} hasPicture />
          <small>
            {pointers.slice(0, mostPointers).map((pointer, at) => (
              <span key={pointer}>
                {at > 0 && ", "}
                <bdi>{pointerWords(pointer)}</bdi>
              </span>
            ))}
            {hasMore
              ? ` ${say("and many more places")}`
              : pointers.length > mostPointers &&
                ` ${sayMany(pointers.length - mostPointers, "and {count} more place", "and {count} more places")}`}
          </small>
        </li>
      ))}
      {children && <li>{children}</li>}
    </ul>
  );
}

type EntryLinkProps = {
  id: string;
  onFollow?: (() => void) | undefined;
  /** Its colour. */
  c?: string;
  hasPicture?: boolean;
};

/** An entry by its title. */
export function EntryLink({ id, onFollow, c, hasPicture = false }: EntryLinkProps) {
  const look = { href: addressOf("entries", id), underline: "always", size: "sm", c } as const;
  const title = <EntryTitle id={id} hasPicture={hasPicture} />;
  if (!onFollow)
    return (
      <Anchor {...look} target="_blank">
        {title}
      </Anchor>
    );
  return (
    <Anchor {...look} component={Link} onClick={onFollow}>
      {title}
    </Anchor>
  );
}
