import { Badge, Box, Button, Group } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef } from "react";
import { type Entry, readEntry, type TaggedEntry, titleOf } from "../api/entry.ts";
import { Conflict } from "../draft/conflict.tsx";
import { useCorrection } from "../draft/use-correction.ts";
import { say } from "../language/say.ts";
import { type Correction as Done, undoCorrection } from "../model/draft/correction.ts";
import type { DraftEdit, LocalCopy, SaveState, StoredState } from "../model/draft/editing.ts";
import { rereadEntries } from "../query/entry.ts";
import { Crumbs } from "../ui/crumbs.tsx";
import { addressBelow } from "../ui/entry-address.ts";
import { LeaveQuestion } from "../ui/leave-question.tsx";
import { refresh } from "../ui/query.ts";
import { Failure, Loading, notifyFailure } from "../ui/state.tsx";
import { offerUndo } from "../ui/undo.tsx";

type CorrectionProps = {
  /** The entry with its working copy laid over. */
  copied: Entry;
  take: StoredState["take"];
  fields(editing: DraftEdit & SaveState & LocalCopy): ReactNode;
  /** With the keys that the copy changes, too, where something was corrected. */
  onClose(asked: readonly string[]): void;
};

/** Corrects what is live while a working copy waits. */
export function Correction(props: CorrectionProps) {
  const { slug } = props.copied;
  const { data, error, refetch } = useQuery({
    queryKey: ["entry", slug, "correction"],
    queryFn: () => readEntry(slug),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  if (error)
    return <Failure error={error} title={say("The live page cannot be read")} onRetry={() => void refetch()} />;
  return data ? <Correcting {...props} read={data} /> : <Loading rows={5} height={64} />;
}

function Correcting({ read, copied, take, fields, onClose }: CorrectionProps & { read: TaggedEntry }) {
  const undo = (done: Done): void =>
    void undoCorrection(done)
      .then(async (state) => {
        take(state);
        await Promise.all([rereadEntries(), refresh("staged")]);
      })
      .catch(notifyFailure);
  const editing = useCorrection(read, copied, (done) => {
    take(done.after);
    offerUndo(say("Corrected on the site:"), titleOf(done.live.entry), () => undo(done), done.live.entry.slug);
    onClose(done.asked);
  });
  const { base, draft, isDirty, error, theirs } = editing;
  const heading = useRef<HTMLHeadingElement>(null);
  // A save never publishes, and the browser saves no page of it.
  useHotkeys([["mod+S", () => undefined]], [], true);
  // The menu that led here is gone.
  useEffect(() => heading.current?.focus(), []);
  return (
    <>
      <header className="editor-head">
        <div className="editor-name">
          <Crumbs label={say("Path")} root="entries" path={base.slug} addressOf={addressBelow} />
          <h1 className="editor-title" dir="auto" ref={heading} tabIndex={-1}>
            {titleOf({ slug: base.slug, title: draft.title })}
          </h1>
        </div>
        <section className="publish-bar" aria-label={say("Correction")}>
          <Bar editing={editing} onCancel={() => onClose([])} />
        </section>
      </header>
      {error !== undefined && (
        <Box mb="md">
          <Failure error={error} title={say("Not saved")} />
        </Box>
      )}
      <div className="editor-split">
        <div className="editor-columns">{fields(editing)}</div>
      </div>
      {theirs && <Conflict editing={editing} theirs={theirs.entry} />}
      <LeaveQuestion isDirty={isDirty} />
    </>
  );
}

function Bar({ editing, onCancel }: { editing: SaveState; onCancel(): void }) {
  const { isDirty, isSaving, fault } = editing;
  return (
    <>
      <div className="publish-words">
        <Badge color="teal" me={8}>
          {say("Live page")}
        </Badge>
        <span>
          {say(
            "This is what readers see now. The unpublished changes stay, and take the correction where they say nothing else.",
          )}
        </span>
      </div>
      <Group gap="xs" justify="flex-end" ms="auto">
        <Button size="xs" variant="default" onClick={onCancel} disabled={isSaving}>
          {say("Cancel")}
        </Button>
        <Button
          size="xs"
          disabled={!isDirty || fault !== undefined}
          loading={isSaving}
          onClick={() => void editing.save()}
        >
          {say("Publish the correction")}
        </Button>
      </Group>
    </>
  );
}
