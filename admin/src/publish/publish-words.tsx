import { Badge } from "@mantine/core";
import type { ReactNode } from "react";
import type { WorkingCopy } from "../api/staged.ts";
import { say } from "../language/say.ts";
import type { StateWords } from "../model/entry/state-words.ts";
import { ReleaseWords } from "../release/release-words.tsx";

type WordsProps = { words: StateWords; copy: WorkingCopy | undefined; children: ReactNode };

/** How an entry or a translation stands. `children` follow the keys that were changed on the site meanwhile. */
export function PublishWords({ words: { title, meaning, color }, copy, children }: WordsProps) {
  const outdated = copy?.outdated ?? [];
  return (
    <div className="publish-words">
      <Badge color={color} me={8}>
        {title}
      </Badge>
      <span>{meaning}</span> <ReleaseWords copy={copy} />
      {outdated.length > 0 && (
        <span className="publish-told" role="status">
          {say("Changed on the site meanwhile: {fields}.", { fields: outdated.join(", ") })} {children}
        </span>
      )}
    </div>
  );
}
