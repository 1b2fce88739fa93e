import { Alert, Button, Stack, Text } from "@mantine/core";
import { KeyRound } from "lucide-react";
import type { TokenWithSecret } from "../../../client/src/api.ts";
import type { TokenKind } from "../api/token.ts";
import { CopyLine } from "../ui/copy.tsx";
import { Dialog } from "../ui/dialog.tsx";

/** Shows a secret once: only the button closes the dialog. */
export function Secret({ token, onClose }: { token: TokenWithSecret; onClose(): void }) {
  return (
    <Dialog
      onClose={onClose}
      className="secret"
      title={`The ${token.kind} token`}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack>
        <Alert icon={<KeyRound size={18} />} color="yellow" title="Copy it now">
          It is shown this once. Only its hash is stored: lost, it can be replaced but not found again.
        </Alert>
        <CopyLine value={token.token} label="Copy the secret" />
        <Text size="xs" c="dimmed">
          {uses[token.kind]}
        </Text>
        <Button onClick={onClose} ml="auto">
          I have it
        </Button>
      </Stack>
    </Dialog>
  );
}

const uses: Record<TokenKind, string> = {
  delivery: "For websites: the argument token, or the header Authorization: Bearer.",
  management: "For reading everything, and with an access token for writing.",
  preview: "For reading drafts and unpublished changes until it expires: the argument token, or the header.",
  images: "For images: the argument token in their URLs.",
  access: "For writing, with a management token: the argument access_token, or the header X-Access-Token.",
};
