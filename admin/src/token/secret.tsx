import { KeyRound } from "lucide-react";
import type { TokenWithSecret } from "../../../client/src/api.ts";
import type { TokenKind } from "../api/token.ts";
import { say } from "../language/say.ts";
import { ShownOnce } from "../ui/shown-once.tsx";

/** Shows a secret once. */
export const Secret = ({ token, onClose }: { token: TokenWithSecret; onClose(): void }) => (
  <ShownOnce
    title={say("The {kind} token", { kind: token.kind })}
    icon={<KeyRound size={18} />}
    advice={say("Copy it now")}
    value={token.token}
    label={say("Copy the secret")}
    hint={uses[token.kind]}
    onClose={onClose}
  >
    {say("It is shown this once. Only its hash is stored: lost, it can be replaced but not found again.")}
  </ShownOnce>
);

const uses: Record<TokenKind, string> = {
  delivery: say("For websites: the argument token, or the header Authorization: Bearer."),
  management: say("For reading everything, and with an access token for writing."),
  preview: say("For reading drafts and unpublished changes until it expires: the argument token, or the header."),
  images: say("For images: the argument token in their URLs."),
  access: say("For writing, with a management token: the argument access_token, or the header X-Access-Token."),
};
