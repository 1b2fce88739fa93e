import { useRef } from "react";
import { say } from "../language/say.ts";
import { useUndoOffers } from "../ui/undo.tsx";
import type { ControlProps } from "./context.ts";

/** Removes a value, with an undo as long as its control is there: later its pointer may be that of another value. */
export function useRemoval({ label, value, edit, shape }: ControlProps): () => void {
  const latest = useRef(edit);
  latest.current = edit;
  const offer = useUndoOffers();
  return () => {
    edit(() => (shape.isNullable && value !== null ? null : undefined));
    offer(say("Cleared"), label, () => latest.current(() => value));
  };
}
