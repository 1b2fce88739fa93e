import "./history.css";
import { Alert, Button, Checkbox, Group, Stack, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { History, RotateCcw } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { OctavoProblem } from "../../../client/src/client.ts";
import { isSame, type Json } from "../api/json.ts";
import { say } from "../language/say.ts";
import { formatAgo, formatBytes, formatSecond } from "../model/format.ts";
import { useActorName } from "../query/actor-name.ts";
import { useWritesLive } from "../session-context.ts";
import { Dialog } from "../ui/dialog.tsx";
import { sayParts } from "../ui/say-parts.tsx";
import { Segments } from "../ui/segments.tsx";
import { ShowMore } from "../ui/show-more.tsx";
import { Empty, Failure, Loading, notifyFailure } from "../ui/state.tsx";
import { offerUndo } from "../ui/undo.tsx";
import { type HistorySource, type Present, useContent, useTimeline, type Version } from "./timeline.ts";

/** A version to compare; its revision is undefined for the present one. */
export type Side<S> = { content: S; revision: number | undefined };

type HistoryDialogProps<S, P extends Present<S>> = {
  source: HistorySource<S, P>;
  name: string;
  /** Shows what changed from one version to a later one. */
  compare(before: Side<S>, after: Side<S>): ReactNode;
  /** Called after a restore, and after it was undone. */
  onRestored(present: P): unknown;
  /** Why nothing can be restored now. */
  obstacle?: string | undefined;
  onClose(): void;
};

/** The versions of a thing, what changed between them, and a button to restore one. */
export function HistoryDialog<S extends Json, P extends Present<S>>(props: HistoryDialogProps<S, P>) {
  const { source, name, onClose } = props;
  const isNarrow = useMediaQuery("(max-width: 48em)", undefined, { getInitialValueInEffect: false });
  const timeline = useTimeline(source);
  const { versions, present, error, reread } = timeline;
  return (
    <Dialog
      onClose={onClose}
      title={say("History of {name}", { name })}
      size={1080}
      fullScreen={isNarrow}
      className="history"
    >
      {error ? (
        <Failure error={error} title={say("The history cannot be read")} onRetry={() => void reread()} />
      ) : !versions || !present ? (
        <Loading rows={5} />
      ) : versions.length === 1 ? (
        <Empty icon={History} title={say("No earlier version")}>
          {say("What an update replaces is kept here. So far there is nothing, or it was too old to keep.")}
        </Empty>
      ) : (
        <Versions {...props} timeline={timeline} versions={versions} present={present} />
      )}
    </Dialog>
  );
}

type Comparison = "present" | "before";
type VersionsProps<S, P extends Present<S>> = HistoryDialogProps<S, P> & {
  timeline: ReturnType<typeof useTimeline<S, P>>;
  versions: readonly Version[];
  present: P;
};

function Versions<S extends Json, P extends Present<S>>({
  timeline,
  versions,
  present,
  ...props
}: VersionsProps<S, P>) {
  const { source } = props;
  const mayPublish = useWritesLive(source.locale);
  const [revision, setRevision] = useState<number>();
  const [comparison, setComparison] = useState<Comparison>("present");
  const at = Math.max(
    0,
    versions.findIndex((version) => version.revision === revision),
  );
  const chosen = versions[at] as Version;
  const isPresent = chosen.revision === undefined;
  const isBefore = isPresent || comparison === "before";
  const older = versions[at + 1];
  const now = versions[0] as Version;
  const [from, to] = isBefore ? [older, chosen] : [chosen, now];
  return (
    <div className="history-columns">
      <nav className="history-versions" aria-label={say("Versions")}>
        <VersionList versions={versions} chosen={chosen} onChoose={setRevision} />
        <ShowMore list={timeline.list} />
      </nav>
      <Stack gap="md" miw={0}>
        <Group justify="space-between" gap="xs">
          {!isPresent && (
            <Segments
              label={say("Compare with")}
              options={{ present: say("With the present"), before: say("With the one before") }}
              value={comparison}
              onChange={setComparison}
            />
          )}
          {mayPublish && (
            <RestoreButton
              {...props}
              key={chosen.revision}
              chosen={chosen}
              present={present}
              reread={timeline.reread}
            />
          )}
        </Group>
        {from && to ? (
          <Compared source={source} from={from} to={to} present={present} compare={props.compare} />
        ) : (
          <Text size="sm" c="dimmed">
            {timeline.list.hasNextPage ? say("The one before is below Show more.") : say("No earlier version is kept.")}
          </Text>
        )}
      </Stack>
    </div>
  );
}

type VersionListProps = {
  versions: readonly Version[];
  chosen: Version;
  onChoose(revision: number | undefined): void;
};

function VersionList({ versions, chosen, onChoose }: VersionListProps) {
  const actorName = useActorName();
  // The dialog has opened with a placeholder, which cannot have the focus.
  const first = useRef<HTMLButtonElement>(null);
  useEffect(() => first.current?.focus(), []);
  return (
    <ol>
      {versions.map((version, i) => (
        <li key={version.revision ?? "present"}>
          <button
            type="button"
            aria-pressed={version === chosen}
            onClick={() => onChoose(version.revision)}
            ref={i === 0 ? first : undefined}
          >
            <span>{nameOf(version)}</span>
            <small>
              {[
                version.at !== null && formatAgo(version.at),
                version.actor !== null && actorName(version.actor, version.actor_name),
                version.bytes !== undefined && formatBytes(version.bytes),
              ]
                .filter(Boolean)
                .join(" · ")}
            </small>
          </button>
        </li>
      ))}
    </ol>
  );
}

const nameOf = ({ revision, at }: Version): string =>
  revision === undefined ? say("The present") : at === null ? say("An unknown time") : formatSecond(at);

/** The same within a sentence. */
const withinOf = (version: Version): string => (version.revision === undefined ? say("the present") : nameOf(version));

type ComparedProps<S, P extends Present<S>> = Pick<HistoryDialogProps<S, P>, "source" | "compare"> & {
  from: Version;
  to: Version;
  present: P;
};

function Compared<S extends Json, P extends Present<S>>({ source, from, to, present, compare }: ComparedProps<S, P>) {
  const before = useContent(source, from, present);
  const after = useContent(source, to, present);
  const error = before.error ?? after.error;
  if (error) return <Failure error={error} title={say("The version cannot be read")} />;
  if (before.content === undefined || after.content === undefined) return <Loading rows={3} />;
  return (
    <section aria-label={say("What changed")}>
      <Text size="xs" c="dimmed" mb="xs">
        {sayParts("What changed from {before} to {after}", {
          before: <b>{nameOf(from)}</b>,
          after: <b>{withinOf(to)}</b>,
        })}
      </Text>
      {isSame(before.content, after.content) ? (
        <Text size="sm">{say("Nothing.")}</Text>
      ) : (
        compare({ content: before.content, revision: from.revision }, { content: after.content, revision: to.revision })
      )}
    </section>
  );
}

type RestoreProps<S, P extends Present<S>> = Pick<
  HistoryDialogProps<S, P>,
  "source" | "onRestored" | "obstacle" | "onClose"
> & {
  chosen: Version;
  present: P;
  reread(): Promise<unknown>;
};

function RestoreButton<S extends Json, P extends Present<S>>(props: RestoreProps<S, P>) {
  const { source, chosen, present, obstacle } = props;
  const { content } = useContent(source, chosen, present);
  const [isWhole, setWhole] = useState(false);
  const { isBusy, error, restore } = useRestore(props, isWhole);
  const { state } = source;
  if (chosen.revision === undefined) return null;
  const restored = content === undefined || !state || isWhole ? content : state.without(content, present.content);
  const isEqual = restored !== undefined && isSame(restored, present.content);
  const isSameVersion = content !== undefined && isSame(content, present.content);
  return (
    <>
      <Button
        size="xs"
        leftSection={<RotateCcw size={14} />}
        disabled={obstacle !== undefined || isEqual || content === undefined}
        loading={isBusy}
        onClick={() => void restore()}
      >
        {say("Restore this")}
      </Button>
      {state && !isSameVersion && (
        <Checkbox
          size="xs"
          w="100%"
          label={state.label}
          checked={isWhole}
          onChange={(event) => setWhole(event.currentTarget.checked)}
        />
      )}
      {(obstacle ?? isSameVersion) ? (
        <Text size="xs" c="dimmed" w="100%">
          {obstacle ?? say("It is the same as the present.")}
        </Text>
      ) : (
        state &&
        content !== undefined &&
        restored !== undefined && (
          <Text size="sm" w="100%" aria-live="polite" className="history-effect">
            {state.effect(content, present.content, restored)}
          </Text>
        )
      )}
      <NotRestored error={error} />
    </>
  );
}

/** Restores the chosen version, offers to undo that, and closes the dialog. */
function useRestore<S, P extends Present<S>>(props: RestoreProps<S, P>, isWhole: boolean) {
  const { source, chosen, present, reread, onRestored, onClose } = props;
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const how = { state: isWhole };
  const restore = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      const written = await source.restore(chosen.revision as number, present.tag, how);
      await onRestored(written);
      offerUndo(say("Restored the version of"), nameOf(chosen), () => void undo(source, written, how, onRestored));
      onClose();
    } catch (failure) {
      setError(failure);
      if (isConflict(failure)) await reread();
      setBusy(false);
    }
  };
  return { isBusy, error, restore };
}

function NotRestored({ error }: { error: unknown }) {
  if (isConflict(error))
    return (
      <Alert color="yellow" role="alert" title={say("Someone changed it meanwhile")} w="100%">
        {say("Nothing was restored. The present is now the changed one: compare again, then restore.")}
      </Alert>
    );
  return error !== undefined && <Failure error={error} title={say("Not restored")} />;
}

const isConflict = (error: unknown): boolean => error instanceof OctavoProblem && error.code === "revision_mismatch";

/** Restores the content before a restore, as far as the restore replaced it; not over a later change. */
async function undo<S, P extends Present<S>>(
  source: HistorySource<S, P>,
  written: P,
  how: { state: boolean },
  onRestored: (present: P) => unknown,
): Promise<void> {
  try {
    const [last] = (await source.list(undefined)).items;
    if (last) await onRestored(await source.restore(last.revision, written.tag, how));
  } catch (error) {
    notifyFailure(
      isConflict(error) ? say("Someone changed it after the restore. The history has all versions.") : error,
    );
  }
}
