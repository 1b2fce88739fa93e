import { ActionIcon, Menu, Text } from "@mantine/core";
import { EllipsisVertical, Trash2 } from "lucide-react";
import { useRef } from "react";
import { isSame, type Json } from "../api/json.ts";
import { convert, type FieldKind, fieldKinds, kindOf } from "./kind.ts";

type FieldMenuProps = { name: string; value: Json; onChange(value: Json): void; onRemove(): void };

/** What a field is edited as, and its removal. A kind that cannot hold the value is not offered. */
export function FieldMenu({ name, value, onChange, onRemove }: FieldMenuProps) {
  const kind = kindOf(value);
  // Another kind may write the value in another way ("a,b" as "a, b"): who goes back has it as it was.
  const changed = useRef<{ from: Json; to: Json }>(undefined);
  const valueAs = (other: FieldKind): Json | undefined => {
    const { from, to } = changed.current ?? {};
    return from !== undefined && isSame(to, value) && kindOf(from) === other ? from : convert(value, other);
  };
  const change = (to: Json): void => {
    changed.current = { from: value, to };
    onChange(to);
  };
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon size="sm" aria-label={`Options of ${name}`}>
          <EllipsisVertical size={15} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Kind</Menu.Label>
        {Object.entries(fieldKinds).map(([other, { label }]) => {
          const isCurrent = other === kind;
          const converted = valueAs(other as FieldKind);
          return (
            <Menu.Item
              key={other}
              data-autofocus={isCurrent || undefined}
              disabled={converted === undefined}
              onClick={() => !isCurrent && converted !== undefined && change(converted)}
              rightSection={isCurrent ? "•" : undefined}
            >
              {label}
              {converted === undefined && <Text size="xs">The value would be lost</Text>}
            </Menu.Item>
          );
        })}
        <Menu.Divider />
        <Menu.Item c="var(--mantine-color-error)" leftSection={<Trash2 size={14} />} onClick={onRemove}>
          Remove the field
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
