import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Entry } from "../api/entry.ts";
import { say } from "../language/say.ts";
import type { FieldDifference } from "../model/difference.ts";
import { fieldWords } from "../model/entry/field-words.ts";
import { useEntryShape } from "../query/entry-shape.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Failure, Loading } from "../ui/state.tsx";
import { FieldDifferences } from "./difference-view.tsx";

type DifferenceDialogProps<T> = {
  title: string;
  /** What is said where the other state cannot be read, and where nothing differs. */
  failure: string;
  same: string;
  /** The state that is at hand. */
  entry: Entry;
  /** Which other state it is, behind the entry's key. */
  queryKey: readonly unknown[];
  read(): Promise<T>;
  compare(other: T): FieldDifference[];
  onClose(): void;
  /** The buttons, once there is the other state and before. */
  buttons?: (other: T | undefined) => ReactNode;
};

/** How an entry differs from another state of it, which is read whenever the dialog opens. */
export function DifferenceDialog<T>(props: DifferenceDialogProps<T>) {
  const { title, failure, same, entry, queryKey, read, compare, onClose, buttons } = props;
  const { data, error, refetch } = useQuery({
    queryKey: ["entry", entry.slug, ...queryKey],
    queryFn: read,
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
  const shape = useEntryShape(entry);
  const fields = data && compare(data);
  return (
    <Dialog onClose={onClose} title={title} size={760}>
      {error ? (
        <Failure error={error} title={failure} onRetry={() => void refetch()} />
      ) : !fields ? (
        <Loading rows={3} />
      ) : fields.length === 0 ? (
        <Text size="sm">{same}</Text>
      ) : (
        <section aria-label={say("What differs")}>
          <FieldDifferences fields={fields} words={fieldWords} shape={shape} />
        </section>
      )}
      {buttons?.(data)}
    </Dialog>
  );
}
