import { useDocumentVisibility } from "@mantine/hooks";
import { useEffect, useRef, useState } from "react";
import type { LogEvent } from "../../../client/src/api.ts";
import { knownKinds } from "../model/event-kind.ts";
import { type EventFilter, matches } from "../model/filter/event-filter.ts";

/** After a refusal; when the connection breaks, the browser connects again by itself. */
const againMs = 5000;

export type Live = {
  /** How many events match since the list was read. */
  fresh: number;
  /** Whether the log is followed; undefined before the first answer. */
  isLive: boolean | undefined;
};

/** Follows the log after an event, while the page is seen, and counts what the filter lets through. */
export function useLive(since: number | undefined, filter: EventFilter): Live {
  const [fresh, setFresh] = useState(0);
  const [isLive, setLive] = useState<boolean>();
  const isSeen = useDocumentVisibility() === "visible";
  const last = useRef(0);
  const wanted = useRef(filter);
  wanted.current = filter;
  useEffect(() => {
    last.current = since ?? 0;
    setFresh(0);
  }, [since]);
  useEffect(() => {
    if (since === undefined || !isSeen) return;
    const take = (event: LogEvent): void => {
      last.current = event.sequence;
      if (matches(wanted.current, event)) setFresh((count) => count + 1);
    };
    return follow(() => last.current, take, setLive);
  }, [since, isSeen]);
  return { fresh, isLive };
}

/** Hands over the events after the last one until it is stopped. */
function follow(last: () => number, onEvent: (event: LogEvent) => void, onLive: (isLive: boolean) => void): () => void {
  let source: EventSource;
  let timer: ReturnType<typeof setTimeout>;
  const open = (): void => {
    source = new EventSource(`/api/events?since=${last()}`);
    source.onopen = () => onLive(true);
    source.onerror = () => {
      onLive(false);
      if (source.readyState === EventSource.CLOSED) timer = setTimeout(open, againMs);
    };
    for (const kind of knownKinds)
      source.addEventListener(kind, ({ data }: MessageEvent<string>) => onEvent(JSON.parse(data)));
  };
  open();
  return () => {
    clearTimeout(timer);
    source.close();
  };
}
