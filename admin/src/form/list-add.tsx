import { Button, Group, Menu, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Plus } from "lucide-react";
import { lazy, type ReactNode, Suspense } from "react";
import type { Json } from "../api/json.ts";
import { say, sayMany } from "../language/say.ts";
import type { Shape, Variant } from "../model/form/schema.ts";
import { initialOf, initialOfVariant } from "../model/form/value.ts";
import { useMay } from "../session-context.ts";

const EntryPicker = lazy(async () => ({ default: (await import("../picker/entry-picker.tsx")).EntryPicker }));
const MediaPicker = lazy(async () => ({ default: (await import("../picker/media-picker.tsx")).MediaPicker }));

type ListAddProps = { label: string; item: Shape; count: number; isFull: boolean; onAdd(value: Json): void };

/** Adds an item: of a kind that is chosen in a menu, one that is chosen in a dialog, or a new one. */
export function ListAdd(props: ListAddProps) {
  const { item, count } = props;
  const [mayEntries, mayFiles] = [useMay("entries"), useMay("files")];
  const input = item.kind === "text" ? item.input : undefined;
  const isChosen = (input === "entry" && mayEntries) || (input === "file" && mayFiles);
  return (
    <Group gap="xs" mt={6}>
      {item.kind === "variants" ? (
        <OfVariants {...props} variants={item.variants} />
      ) : isChosen ? (
        <Chosen {...props} />
      ) : (
        <AddButton {...props} onClick={() => props.onAdd(initialOf(item))} />
      )}
      {count > 3 && (
        <Text size="xs" c="dimmed">
          {sayMany(count, "{count} item", "{count} items")}
        </Text>
      )}
    </Group>
  );
}

type ButtonProps = Pick<ListAddProps, "label" | "isFull"> & { onClick?(): void; children?: ReactNode };

const AddButton = ({ label, isFull, children = say("Add"), ...rest }: ButtonProps) => (
  <Button
    size="compact-sm"
    variant="default"
    leftSection={<Plus size={13} />}
    aria-label={say("Add to {label}", { label })}
    disabled={isFull || undefined}
    data-add
    {...rest}
  >
    {children}
  </Button>
);

function OfVariants({ variants, onAdd, label, isFull }: ListAddProps & { variants: readonly Variant[] }) {
  return (
    // The focus goes to the new item.
    <Menu position="bottom-start" returnFocus={false} withinPortal={false}>
      <Menu.Target>
        <AddButton {...{ label, isFull }} />
      </Menu.Target>
      <Menu.Dropdown mah={340} style={{ overflowY: "auto" }}>
        {variants.map((variant, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two variants may have one title.
          <Menu.Item key={i} onClick={() => onAdd(initialOfVariant(variant))}>
            {variant.label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function Chosen({ item, onAdd, ...props }: ListAddProps) {
  const [isOpen, picker] = useDisclosure(false);
  if (item.kind !== "text") return null;
  const { input, narrowed } = item;
  return (
    <>
      <AddButton {...props} onClick={picker.open}>
        {say("Add…")}
      </AddButton>
      {isOpen && (
        <Suspense>
          {input === "entry" ? (
            <EntryPicker types={narrowed} onPick={onAdd} onClose={picker.close} />
          ) : (
            <MediaPicker media={narrowed} onPick={onAdd} onClose={picker.close} />
          )}
        </Suspense>
      )}
    </>
  );
}
