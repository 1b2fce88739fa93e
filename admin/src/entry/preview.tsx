import { ActionIcon, Tooltip } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { Eye } from "lucide-react";
import { makePreview } from "../api/preview.ts";
import { useSession, useWritesLive } from "../session-context.ts";
import { queries } from "../ui/query.ts";
import { notifyFailure } from "../ui/state.tsx";
import type { Editing } from "./use-draft.ts";

export const unsavedNote = "The preview shows what is saved, without your unsaved changes.";

/** Opens are repeated; a token is used again for half of its hour. */
const reusedMs = 30 * 60_000;

/** The key of the preview that the button opened last. */
export const openedKey = (slug: string): string[] => ["preview", slug, "opened"];

/** Opens the entry as it is saved on the site of `preview_url`; nothing where the service has none. */
export function PreviewButton({ editing: { base, isDirty } }: { editing: Editing }) {
  const { preview_url: template } = useSession();
  const mayMake = useWritesLive();
  if (template === undefined || !mayMake) return null;
  const open = async (): Promise<void> => {
    // Opened before the request: later the browser would take it for a popup that nobody asked for.
    const tab = window.open("", "_blank");
    if (!tab) {
      notifyFailure("The browser did not open a new tab. Allow it, or use Preview links.");
      return;
    }
    // As rel=noopener, which would not return the tab.
    tab.opener = null;
    try {
      const { link } = await queries.fetchQuery({
        queryKey: openedKey(base.slug),
        queryFn: () => makePreview(base.slug, template),
        staleTime: reusedMs,
        gcTime: reusedMs,
      });
      if (link !== undefined) tab.location.replace(link);
      if (isDirty) notifications.show({ message: unsavedNote, color: "yellow", autoClose: false });
    } catch (error) {
      tab.close();
      notifyFailure(error);
    }
  };
  return (
    <Tooltip label={isDirty ? unsavedNote : "Preview"}>
      <ActionIcon size={34} variant="default" aria-label="Preview" onClick={() => void open()}>
        <Eye size={17} />
      </ActionIcon>
    </Tooltip>
  );
}
