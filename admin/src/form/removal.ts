import { useEffect, useRef } from "react";
import { offerUndo } from "../ui/undo.tsx";
import type { ControlProps } from "./context.ts";

/** Removes a value, with an undo as long as its control is there: later its pointer may be that of another value. */
export function useRemoval({ label, value, edit, shape }: ControlProps): () => void {
  const latest = useRef(edit);
  latest.current = edit;
  const notices = useRef<(() => void)[]>([]);
  useEffect(() => {
    const all = notices.current;
    return () => {
      for (const close of all) close();
    };
  }, []);
  return () => {
    edit(() => (shape.isNullable && value !== null ? null : undefined));
    notices.current.push(offerUndo("Cleared", label, () => latest.current(() => value)));
  };
}
