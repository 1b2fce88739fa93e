import "./focal.css";
import { Button, Group, Text } from "@mantine/core";
import { type KeyboardEvent, type MouseEvent, type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { deleteMeta, type File, putMeta } from "../api/file.ts";
import { octavo } from "../api/octavo.ts";
import { say } from "../language/say.ts";
import { refusalOf } from "../model/describe-refusal.ts";
import { inShort, inWords, movedBy, type Point, pointOf, textOf } from "../model/image/focal.ts";
import { queries, refresh } from "../ui/query.ts";
import { FocalShapes } from "./focal-shapes.tsx";

type FocalPointProps = {
  file: File;
  path: string;
  /** The most of the picture's box, in pixels. */
  width: number;
  height: number;
  /** It is shown, and cannot be moved. */
  isReadOnly: boolean;
  /** In place of a picture that is not drawn. */
  instead?: ReactNode;
};

const centre: Point = { x: 50, y: 50 };
/** Keys come one after another. */
const restMs = 400;

/** A picture with the point that crops keep (`fit=crop-focal`), set by a click or the arrow keys, kept with the file. */
export function FocalPoint({ file, path, width, height, isReadOnly, instead }: FocalPointProps) {
  const { point, isSaving, note, set } = usePoint(file, path);
  const [isBroken, setBroken] = useState(false);
  const [size, setSize] = useState<{ width: number; height: number }>();
  if (isBroken) return instead;
  const src = octavo.imageUrl(file, { w: width * 2, h: height * 2, fit: "max", fm: "webp" });
  const click = (event: MouseEvent<HTMLElement>): void => {
    const { left, top, width: w, height: h } = event.currentTarget.getBoundingClientRect();
    set({ x: ((event.clientX - left) / w) * 100, y: ((event.clientY - top) / h) * 100 }, 0);
  };
  const press = (event: KeyboardEvent): void => {
    const next = movedBy(point ?? centre, event.key, event.shiftKey);
    if (!next) return;
    event.preventDefault();
    set(next, restMs);
  };
  const { x, y } = point ?? centre;
  const words = point ? inWords(point) : say("the centre: no point is set");
  const slider = {
    ...{ role: "slider", tabIndex: 0, "aria-label": say("Focal point"), "aria-valuetext": words },
    ...{ "aria-valuemin": 0, "aria-valuemax": 100, "aria-valuenow": Math.round(x), onClick: click, onKeyDown: press },
  };
  return (
    <div className="focal">
      <div className="focal-picture" {...(!isReadOnly && slider)}>
        <img
          src={src}
          alt={isReadOnly ? String(file.alt ?? file.title) : ""}
          style={{ maxHeight: height }}
          draggable={false}
          onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
            setSize({ width: naturalWidth, height: naturalHeight })
          }
          onError={() => setBroken(true)}
        />
        {(point || !isReadOnly) && (
          <span className="focal-mark" data-unset={!point || undefined} style={{ left: `${x}%`, top: `${y}%` }} />
        )}
      </div>
      {size && point && <FocalShapes src={src} size={size} point={point} />}
      {!isReadOnly && (
        <Group gap={6} justify="space-between" mih={24} mt={4}>
          <Text size="xs" c="dimmed" role="status" flex="1 0 auto" maw="100%">
            {note ??
              (isSaving
                ? say("Saving…")
                : point
                  ? say("Crops keep this point: {inShort}", { inShort: inShort(point) })
                  : hint)}
          </Text>
          {point && (
            <Button size="compact-xs" variant="subtle" onClick={() => set(undefined, 0)}>
              {say("Remove the point")}
            </Button>
          )}
        </Group>
      )}
    </div>
  );
}

const hint = say("Click what crops should keep, or use the arrow keys.");

/** The point, which is kept with the file when it rests; one write after the other. */
function usePoint(file: File, path: string) {
  const [moved, setMoved] = useState<{ to: Point | undefined }>();
  const [note, setNote] = useState<string>();
  /** What the writes since the file was read have answered: not every holder of it reads it again. */
  const [answered, setAnswered] = useState<{ of: File; now: File }>();
  const current = answered?.of === file ? answered.now : file;
  const newest = useRef(file);
  const given = useRef(file);
  given.current = file;
  const waiting = useRef<{ to: Point | undefined; timer: ReturnType<typeof setTimeout> }>(undefined);
  const writes = useRef(Promise.resolve());
  if (!moved) newest.current = current;
  const send = useCallback((): void => {
    const change = waiting.current;
    if (!change) return;
    clearTimeout(change.timer);
    waiting.current = undefined;
    const write = async (): Promise<void> => {
      try {
        newest.current = await putPoint(newest.current, path, change.to);
        setAnswered({ of: given.current, now: newest.current });
        queries.setQueryData(["file", path], newest.current);
        void refresh("files");
      } catch (error) {
        setNote(say("Not saved. {refusal}", { refusal: refusalOf(error) }));
      }
      if (!waiting.current) setMoved(undefined);
    };
    writes.current = writes.current.then(write);
  }, [path]);
  useEffect(() => send, [send]);
  const set = (to: Point | undefined, afterMs: number): void => {
    clearTimeout(waiting.current?.timer);
    setNote(undefined);
    setMoved({ to });
    waiting.current = { to, timer: setTimeout(send, afterMs) };
  };
  return { point: moved ? moved.to : pointOf(current.focal), isSaving: moved !== undefined, note, set };
}

function putPoint(file: File, path: string, point: Point | undefined): Promise<File> {
  if (point) return putMeta(file, path, "focal", textOf(point));
  return "focal" in file ? deleteMeta(path, "focal") : Promise.resolve(file);
}
