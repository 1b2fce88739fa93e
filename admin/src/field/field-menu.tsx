import { ActionIcon, Menu, Text } from "@mantine/core";
import { EllipsisVertical, Trash2 } from "lucide-react";
import { useRef } from "react";
import { isSame, type Json } from "../api/json.ts";
import { say } from "../language/say.ts";
import { convert, type FieldKind, fieldKinds, kindOf } from "../model/entry/kind.ts";

type FieldMenuProps = { name: string; value: Json; onChange(value: Json): void; onRemove(): void };

/** Changes the kind of a field, or removes it. */
export function FieldMenu({ name, value, onChange, onRemove }: FieldMenuProps) {
  // A conversion may reformat the value ("a,b" to "a, b"): switching back restores it.
  const changed = useRef<Changed>(undefined);
  const change = (to: Json): void => {
    changed.current = { from: value, to };
    onChange(to);
  };
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon size="sm" aria-label={say("Options of {name}", { name })}>
          <EllipsisVertical size={15} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Kinds value={value} changed={changed.current} onChange={change} />
        <Menu.Divider />
        <Menu.Item c="var(--mantine-color-error)" leftSection={<Trash2 size={14} />} onClick={onRemove}>
          {say("Remove the field")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** The last change of kind. */
type Changed = { from: Json; to: Json } | undefined;

type KindsProps = { value: Json; changed: Changed; onChange(value: Json): void };

/** Disables kinds that cannot hold the value. Computed only while the menu is open: for a long value it is slow. */
function Kinds({ value, changed, onChange }: KindsProps) {
  const kind = kindOf(value);
  const valueAs = (other: FieldKind): Json | undefined =>
    changed && isSame(changed.to, value) && kindOf(changed.from) === other ? changed.from : convert(value, other);
  return (
    <>
      <Menu.Label>{say("Kind")}</Menu.Label>
      {Object.entries(fieldKinds).map(([other, { label }]) => {
        const isCurrent = other === kind;
        const converted = valueAs(other as FieldKind);
        return (
          <Menu.Item
            key={other}
            data-autofocus={isCurrent || undefined}
            disabled={converted === undefined}
            onClick={() => !isCurrent && converted !== undefined && onChange(converted)}
            rightSection={isCurrent ? "•" : undefined}
          >
            {label}
            {converted === undefined && <Text size="xs">{say("Cannot hold this value")}</Text>}
          </Menu.Item>
        );
      })}
    </>
  );
}
