import { Alert, Button, Stack } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { ArchiveRestore } from "lucide-react";
import { say } from "../language/say.ts";
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
      title={say("Your unsaved changes are here again")}
      mb="md"
      role="status"
    >
      <Stack gap="xs" align="flex-start">
        <span>{say("They were typed on {time} and are not saved yet.", { time: formatMoment(at) })}</span>
        <Button size="xs" variant="default" onClick={asking.open}>
          {say("Throw them away")}
        </Button>
      </Stack>
      {isAsking && (
        <Confirm
          title={say("Throw away what is not saved?")}
          submit={say("Throw away")}
          onSubmit={async () => editing.discard()}
          onClose={asking.close}
        >
          {say("The page shows what is stored. What you changed is gone.")}
        </Confirm>
      )}
    </Alert>
  );
}
