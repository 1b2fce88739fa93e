import { ActionIcon } from "@mantine/core";
import { ArrowDown, ArrowUp } from "lucide-react";

type MoveButtonsProps = { index: number; count: number; name: string; onMove(from: number, to: number): void };

/** Move an item of a list up and down. */
export const MoveButtons = ({ index, count, name, onMove }: MoveButtonsProps) => (
  <>
    <ActionIcon onClick={() => onMove(index, index - 1)} disabled={index === 0} aria-label={`Move ${name} up`}>
      <ArrowUp size={15} />
    </ActionIcon>
    <ActionIcon
      onClick={() => onMove(index, index + 1)}
      disabled={index === count - 1}
      aria-label={`Move ${name} down`}
    >
      <ArrowDown size={15} />
    </ActionIcon>
  </>
);
