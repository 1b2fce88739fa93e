import { Alert, Button, Stack } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { ArchiveRestore } from "lucide-react";
import type { DraftEdit } from "../model/draft/editing.ts";
import type { Kept } from "../model/draft/kept.ts";
import { formatMoment } from "../model/format.ts";
import { Confirm } from "../ui/dialog.tsx";

/** Says that unsaved changes were found in this browser, and offers to throw them away. */
export function Found({ editing, kept: { at } }: { editing: Pick<DraftEdit, "discard">; kept: Kept }) {
  const [isAsking, asking] = useDisclosure(false);
  return (
    <Alert
      color="blue"
      icon={<ArchiveRestore size={18} />}
      title="Your unsaved changes are here again"
      mb="md"
      role="status"
    >
      <Stack gap="xs" align="flex-start">
        <span>They were typed on {formatMoment(at)} and are not saved yet.</span>
        <Button size="xs" variant="default" onClick={asking.open}>
          Throw them away
        </Button>
      </Stack>
      {isAsking && (
        <Confirm
          title="Throw away what is not saved?"
          submit="Throw away"
          onSubmit={async () => editing.discard()}
          onClose={asking.close}
        >
          The page shows what is stored. What you changed is gone.
        </Confirm>
      )}
    </Alert>
  );
}
