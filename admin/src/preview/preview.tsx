import { ActionIcon, Tooltip } from "@mantine/core";
import { Eye } from "lucide-react";
import { useSession, useWritesLive } from "../session-context.ts";

export const unsavedNote = "The preview shows what is saved, without your unsaved changes.";

/** The key of the preview that was shown last. */
export const openedKey = (slug: string): string[] => ["preview", slug, "opened"];

export type PreviewProps = { isOpen: boolean; onToggle(): void };

/** Shows the entry beside its form; nothing for who may not make a preview on the site. */
export function PreviewButton({ isOpen, onToggle }: PreviewProps) {
  const { preview_url: template } = useSession();
  const mayMake = useWritesLive();
  if (template !== undefined && !mayMake) return null;
  return (
    <Tooltip label="Preview">
      <ActionIcon size={34} variant="default" aria-label="Preview" aria-pressed={isOpen} onClick={onToggle}>
        <Eye size={17} />
      </ActionIcon>
    </Tooltip>
  );
}
