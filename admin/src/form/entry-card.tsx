import { ActionIcon, Anchor, Badge, Group, Text, Tooltip } from "@mantine/core";
import { FileText, Pencil, X } from "lucide-react";
import { type Entry, titleOf } from "../api/entry.ts";
import { say } from "../language/say.ts";
import { pictureOf } from "../model/entry/entry-row.ts";
import { RowPicture } from "../picker/entry-rows.tsx";
import { useTypes } from "../query/types.ts";
import { addressOf, Link } from "../ui/location.tsx";

type EntryCardProps = { label: string; entry: Entry; isReadOnly: boolean; onEdit(): void; onClear(): void };

/** The entry that a field refers to: its title, its picture where its type has one, and then its id. */
export function EntryCard({ label, entry, isReadOnly, onEdit, onClear }: EntryCardProps) {
  const types = useTypes();
  const type = types?.typeOf(entry.slug, entry.fieldset);
  return (
    <Group gap="sm" wrap="nowrap" className="entry-card" role="group" aria-label={`${label}: ${titleOf(entry)}`}>
      <RowPicture path={pictureOf(entry, type)} Icon={FileText} />
      <div className="name-lines">
        <Anchor component={Link} href={addressOf("entries", entry.slug)} size="sm" className="typed-link" dir="auto">
          {titleOf(entry)}
        </Anchor>
        <Text component="small" size="xs" c="dimmed" className="mono" truncate>
          {entry.slug}
        </Text>
      </div>
      {entry.visibility === "draft" && <Badge color="yellow">{say("Draft")}</Badge>}
      {!isReadOnly && (
        <>
          <Tooltip label={say("Edit the id")}>
            <ActionIcon aria-label={say("Edit the id of {label}", { label })} onClick={onEdit}>
              <Pencil size={15} />
            </ActionIcon>
          </Tooltip>
          <ActionIcon aria-label={say("Clear {label}", { label })} onClick={onClear}>
            <X size={15} />
          </ActionIcon>
        </>
      )}
    </Group>
  );
}
