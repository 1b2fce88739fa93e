import { useId } from "react";
import { type ControlProps, useFaultsAt } from "./context.ts";

/** The label, help and fault of an input of Mantine. */
export function useLabel({ shape, label, pointer, isRequired, isBare }: Omit<ControlProps, "value" | "edit">) {
  const id = useId();
  const error = useFaultsAt(pointer);
  return {
    id,
    error,
    description: shape.help,
    ...(isBare ? { "aria-label": label } : { label, withAsterisk: isRequired }),
    "aria-required": isRequired || undefined,
  };
}
