import { ActionIcon } from "@mantine/core";
import { ArrowDown, ArrowUp } from "lucide-react";
import { say } from "../language/say.ts";

type MoveButtonsProps = { index: number; count: number; name: string; onMove(from: number, to: number): void };

/** Move an item of a list up and down. At an end they keep the focus, which `disabled` would lose. */
export const MoveButtons = ({ index, count, name, onMove }: MoveButtonsProps) => {
  const buttons = [
    { way: "up", label: say("Move {name} up", { name }), to: index - 1, icon: ArrowUp },
    { way: "down", label: say("Move {name} down", { name }), to: index + 1, icon: ArrowDown },
  ];
  return buttons.map(({ way, label, to, icon: Icon }) => {
    const isOff = to < 0 || to === count;
    return (
      <ActionIcon
        key={way}
        className="move-button"
        aria-disabled={isOff || undefined}
        aria-label={label}
        onClick={() => !isOff && onMove(index, to)}
      >
        <Icon size={15} />
      </ActionIcon>
    );
  });
};
