import { Button } from "@mantine/core";
import { KeyRound } from "lucide-react";
import { hasPasskeys } from "../api/passkey.ts";
import { signInByPasskey } from "../api/session.ts";
import { say } from "../language/say.ts";
import type { Attempt } from "./form-panel.tsx";

/** Signs a person in with a passkey; nothing where the browser has none for this page. */
export const PasskeyButton = ({ isBusy, attempt }: { isBusy: boolean; attempt: Attempt }) =>
  hasPasskeys() && (
    <Button
      variant="default"
      leftSection={<KeyRound size={16} />}
      disabled={isBusy}
      fullWidth
      onClick={() => void attempt(signInByPasskey)}
    >
      {say("Sign in with a passkey")}
    </Button>
  );
