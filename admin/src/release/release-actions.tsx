import { Button } from "@mantine/core";
import { CalendarClock, Link2 } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import type { StagedRow } from "../../../client/src/api.ts";
import { namedEntries, publishRelease, type Release, undoRelease } from "../api/release.ts";
import { say } from "../language/say.ts";
import { rereadAll } from "../query/entry.ts";
import { isOpen, rereadReleases } from "../query/releases.ts";
import { useWritesLive } from "../session-context.ts";
import { Confirm, Dialog } from "../ui/dialog.tsx";
import { Failure, notifyFailure } from "../ui/state.tsx";
import { offerUndo } from "../ui/undo.tsx";
import { NamedEntries } from "./named-entries.tsx";
import { ReleaseMenu } from "./release-menu.tsx";

const ScheduleDialog = lazy(async () => ({ default: (await import("../ui/schedule-dialog.tsx")).ScheduleDialog }));
const ReleasePreview = lazy(async () => ({ default: (await import("./release-preview.tsx")).ReleasePreview }));

/** What is asked in a dialog. */
type ReleaseQuestion = "outdated" | "schedule" | "preview";

type ActionsProps = { release: Release; rows: readonly StagedRow[]; isFaulty: boolean };

/** What can be done with a release. */
export function ReleaseActions({ release, rows, isFaulty }: ActionsProps) {
  const { id, state } = release;
  const [asked, ask] = useState<ReleaseQuestion>();
  const writes = useReleaseWrites(release);
  const { isBusy, refusal, forget, run, publish, undo } = writes;
  const close = (): void => ask(undefined);
  const outdated = rows.flatMap((row) => (row.outdated.length > 0 ? [row.title || row.id] : []));
  if (!useWritesLive()) return null;
  return (
    <>
      <Button variant="default" leftSection={<Link2 size={15} />} onClick={() => ask("preview")}>
        {say("Preview link…")}
      </Button>
      {state === "scheduled" && (
        <Button variant="default" loading={isBusy} onClick={() => void run(() => publishRelease(id, { at: null }))}>
          {say("Take back")}
        </Button>
      )}
      {isOpen(release) && (
        <>
          <Button
            variant="default"
            leftSection={<CalendarClock size={15} />}
            disabled={rows.length === 0 || isFaulty}
            onClick={() => ask("schedule")}
          >
            {say("Schedule…")}
          </Button>
          <Button
            loading={isBusy}
            disabled={rows.length === 0 || isFaulty}
            onClick={() => (outdated.length > 0 ? ask("outdated") : void publish(true))}
          >
            {say("Publish")}
          </Button>
        </>
      )}
      {state === "published" && (
        <Button variant="default" loading={isBusy} onClick={() => void undo()}>
          {say("Undo")}
        </Button>
      )}
      <ReleaseMenu release={release} />
      {refusal !== undefined && <Refused error={refusal} rows={rows} onClose={forget} />}
      {asked && (
        <Question asked={asked} release={release} rows={rows} outdated={outdated} writes={writes} onClose={close} />
      )}
    </>
  );
}

type QuestionProps = {
  asked: ReleaseQuestion;
  release: Release;
  rows: readonly StagedRow[];
  outdated: readonly string[];
  writes: ReturnType<typeof useReleaseWrites>;
  onClose(): void;
};

function Question({ asked, release, rows, outdated, writes: { run, publish }, onClose }: QuestionProps) {
  if (asked === "outdated")
    return (
      <Confirm
        title={say("Publish it all the same?")}
        submit={say("Publish")}
        onSubmit={() => publish(false)}
        onClose={onClose}
      >
        {say(
          "Somebody corrected on the site what these changes were based on: {outdated}. Publishing puts that back. To choose of each field, open the entry.",
          { outdated: outdated.join(", ") },
        )}
      </Confirm>
    );
  return (
    <Suspense>
      {asked === "preview" ? (
        <ReleasePreview release={release} rows={rows} onClose={onClose} />
      ) : (
        <ScheduleDialog
          outdated={outdated}
          onSubmit={(at) => run(() => publishRelease(release.id, { at }))}
          onClose={onClose}
        />
      )}
    </Suspense>
  );
}

const rereadSite = (): Promise<unknown> => Promise.all([rereadReleases(), rereadAll()]);

/** The writes that publish a release and take it back. */
function useReleaseWrites({ id, title }: Release) {
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<unknown>();
  const run = async (act: () => Promise<void>, done?: () => void): Promise<void> => {
    setBusy(true);
    try {
      await act();
      done?.();
    } catch (error) {
      setRefusal(error);
    }
    await rereadSite();
    setBusy(false);
  };
  const undo = (): Promise<void> => run(() => undoRelease(id));
  const publish = (current: boolean): Promise<void> =>
    run(
      () => publishRelease(id, { current }),
      () => offerUndo(say("Published"), title, () => void undoRelease(id).catch(notifyFailure).then(rereadSite)),
    );
  return { isBusy, refusal, forget: () => setRefusal(undefined), run, publish, undo };
}

/** Why nothing was done, with links to the entries that are the reason. */
function Refused({ error, rows, onClose }: { error: unknown; rows: readonly StagedRow[]; onClose(): void }) {
  return (
    <Dialog title={say("Nothing was changed")} size="lg" onClose={onClose}>
      <Failure error={error} />
      <NamedEntries title={say("The reason")} entries={namedEntries(error)} rows={rows} />
    </Dialog>
  );
}
