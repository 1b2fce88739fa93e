import { KeyRound } from "lucide-react";
import type { TokenWithSecret } from "../../../client/src/api.ts";
import type { TokenKind } from "../api/token.ts";
import { ShownOnce } from "../ui/shown-once.tsx";

/** Shows a secret once. */
export const Secret = ({ token, onClose }: { token: TokenWithSecret; onClose(): void }) => (
  <ShownOnce
    title={`The ${token.kind} token`}
    icon={<KeyRound size={18} />}
    advice="Copy it now"
    value={token.token}
    label="Copy the secret"
    hint={uses[token.kind]}
    onClose={onClose}
  >
    It is shown this once. Only its hash is stored: lost, it can be replaced but not found again.
  </ShownOnce>
);

const uses: Record<TokenKind, string> = {
  delivery: "For websites: the argument token, or the header Authorization: Bearer.",
  management: "For reading everything, and with an access token for writing.",
  preview: "For reading drafts and unpublished changes until it expires: the argument token, or the header.",
  images: "For images: the argument token in their URLs.",
  access: "For writing, with a management token: the argument access_token, or the header X-Access-Token.",
};
