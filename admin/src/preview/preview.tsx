import { ActionIcon, Tooltip } from "@mantine/core";
import { Eye } from "lucide-react";
import type { Previewed } from "../api/preview.ts";
import { say } from "../language/say.ts";
import { useSession, useWritesLive } from "../session-context.ts";

export const unsavedNote = say("The preview shows what is saved, without your unsaved changes.");

/** The key of the previews of an entry that were shown last, in all languages. */
export const openedKey = (slug: string): string[] => ["preview", slug, "opened"];

/** An entry and the language in which it is previewed: that of its source, unless it is another. */
export function usePreviewed(id: string, locale: string | undefined): Previewed {
  const [source] = useSession().locales ?? [];
  return { id, locale: locale ?? source };
}

export type PreviewProps = {
  /** Of a translation. */
  locale?: string;
  isOpen: boolean;
  onToggle(): void;
};

/** Shows the entry beside its form; nothing for who may not make a preview on the site. */
export function PreviewButton({ locale, isOpen, onToggle }: PreviewProps) {
  const { preview_url: template } = useSession();
  const mayMake = useWritesLive(locale);
  if (template !== undefined && !mayMake) return null;
  return (
    <Tooltip label={say("Preview")}>
      <ActionIcon size={34} variant="default" aria-label={say("Preview")} aria-pressed={isOpen} onClick={onToggle}>
        <Eye size={17} />
      </ActionIcon>
    </Tooltip>
  );
}
