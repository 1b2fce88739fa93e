import { NativeSelect, Stack, Text } from "@mantine/core";
import { useState } from "react";
import type { StagedRow } from "../../../client/src/api.ts";
import { listPreviews, makePreview } from "../api/preview.ts";
import type { Release } from "../api/release.ts";
import { say } from "../language/say.ts";
import { usePreviewed } from "../preview/preview.tsx";
import { NewLink, PreviewList } from "../preview/preview-links.tsx";
import { useSession } from "../session-context.ts";
import { Dialog } from "../ui/dialog.tsx";

type PreviewProps = { release: Release; rows: readonly StagedRow[]; onClose(): void };

/** Makes links to the site as it is once the release is published, and lists and revokes those there are. */
export function ReleasePreview({ release: { id, title }, rows, onClose }: PreviewProps) {
  const { preview_url: template } = useSession();
  const [first, setFirst] = useState(rows[0]?.id ?? "");
  const previewed = usePreviewed(first, undefined);
  return (
    <Dialog onClose={onClose} title={say("Preview {title}", { title })} size="lg">
      <Stack gap="md">
        <Text size="sm">{say("Whoever has a link reads the site as it is once this release is published.")}</Text>
        {template !== undefined && rows.length > 1 && (
          <NativeSelect
            label={say("Begins at")}
            value={first}
            onChange={(event) => setFirst(event.currentTarget.value)}
            data={[...new Map(rows.map((row) => [row.id, row])).values()].map((row) => ({
              value: row.id,
              label: row.title || row.id,
            }))}
          />
        )}
        <NewLink make={(life) => makePreview(previewed, template, life, id)} />
        <PreviewList queryKey={["previews", id]} read={() => listPreviews((token) => token.release === id)} />
      </Stack>
    </Dialog>
  );
}
