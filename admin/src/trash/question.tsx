import { Text } from "@mantine/core";
import type { Reference } from "../../../client/src/client.ts";
import type { Referred } from "../api/referrers.ts";
import { hasTrash } from "../api/session.ts";
import { say, sayMany } from "../language/say.ts";
import { messageOf } from "../model/message.ts";
import { objectOf } from "../model/referred-words.ts";
import { ReferenceList } from "../reference/reference-list.tsx";
import { FormDialog } from "../ui/dialog.tsx";
import { storeOf } from "../ui/store.ts";

/** Confirms deletions of what entries refer to, and all deletions on a service without a trash. */

/** The entries that refer to what would be deleted, or why they are not known. */
export type Uses = { references: readonly Reference[] } | { error: unknown };

/** The references that the question lists. */
export const mostReferences = 5;

type TrashQuestion = { things: readonly (Referred & { name: string })[]; uses: Uses | undefined };
type Question = TrashQuestion & { answer(isYes: boolean): void };

const question = storeOf<Question | undefined>(undefined);

/** Asks before things are deleted; resolves to the answer. */
export const askFirst = (asked: TrashQuestion): Promise<boolean> =>
  new Promise((answer) => {
    // Asked for again before the first question was there.
    question.get()?.answer(false);
    question.set({ ...asked, answer });
  });

/** The open question, if there is one. */
export function DeletionQuestion() {
  const asked = question.use();
  if (!asked) return null;
  const { things, uses, answer } = asked;
  const name = things.length === 1 ? `“${things[0]?.name}”` : sayMany(things.length, "{count} item", "{count} items");
  return (
    <FormDialog
      isDangerous
      title={hasTrash() ? say("Delete {name}?", { name }) : say("Delete {name} for good?", { name })}
      submit={uses ? say("Delete anyway") : hasTrash() ? say("Delete") : say("Delete for good")}
      onSubmit={async () => answer(true)}
      onClose={() => {
        answer(false);
        question.set(undefined);
      }}
    >
      {uses && <UsesOf things={things} uses={uses} />}
      {!hasTrash() && (
        <Text size="sm">
          {say("This service has no trash: what is deleted, with all below it, cannot be restored.")}
        </Text>
      )}
    </FormDialog>
  );
}

function UsesOf({ things, uses }: { things: readonly Referred[]; uses: Uses }) {
  const object = objectOf(things);
  if ("error" in uses)
    return (
      <Text size="sm">
        {say("Whether entries refer to {object} is not known: {reason}", { object, reason: messageOf(uses.error) })}
      </Text>
    );
  const { references } = uses;
  return (
    <>
      <Text size="sm">
        {references.length === 1
          ? say("An entry refers to {object}:", { object })
          : say("Entries refer to {object}:", { object })}
      </Text>
      <ReferenceList references={references.slice(0, mostReferences)}>
        {references.length > mostReferences && say("and others")}
      </ReferenceList>
      <Text size="sm">
        {hasTrash()
          ? say("The references stay and lead to nothing, unless what is deleted is restored.")
          : say("The references stay and lead to nothing.")}
      </Text>
    </>
  );
}
