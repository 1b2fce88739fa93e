import { Menu } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { CirclePause, CirclePlay, Copy, FilePen, Pencil, RefreshCw } from "lucide-react";
import { useState } from "react";
import type { Token, TokenWithSecret } from "../../../client/src/api.ts";
import { octavo } from "../api/octavo.ts";
import { isOwn } from "../api/session.ts";
import { useSession } from "../session-context.ts";
import { Confirm } from "../ui/dialog.tsx";
import { addressOf, go } from "../ui/location.tsx";
import { refresh } from "../ui/query.ts";
import { RemovalItem, RowMenu } from "../ui/row-menu.tsx";
import { notifyFailure } from "../ui/state.tsx";
import { TokenDialog } from "./token-dialog.tsx";

type Action = "edit" | "disable" | "rotate" | "revoke";

/** Actions on a token. Those that invalidate a secret ask for confirmation: they cannot be undone. */
export function TokenMenu({ token, onSecret }: { token: Token; onSecret(token: TokenWithSecret): void }) {
  const [action, setAction] = useState<Action>();
  // Labels are not unique.
  const title = [token.label, token.kind, token.id.slice(0, 8)].filter(Boolean).join(", ");
  const clipboard = useClipboard();
  const name = token.label || `the ${token.kind} token`;
  const goodbye = isOwn(useSession(), token) && " You are signed in with it: this session ends, too.";
  const isEnabled = token.state === "enabled";
  const close = (): void => setAction(undefined);
  const toggle = async (): Promise<void> => {
    await octavo.tokens.update(token.id, { state: isEnabled ? "disabled" : "enabled" });
    await refresh("tokens");
  };
  // Reloads nothing before the secret was shown: rotating one's own token ends the session.
  const rotate = async (): Promise<void> => onSecret(await octavo.tokens.rotate(token.id));
  const revoke = async (): Promise<void> => {
    await octavo.tokens.revoke(token.id);
    await refresh("tokens");
  };
  return (
    <>
      <RowMenu name={title}>
        <Menu.Item leftSection={<Pencil size={15} />} onClick={() => setAction("edit")}>
          Edit
        </Menu.Item>
        <Menu.Item leftSection={<Copy size={15} />} onClick={() => clipboard.copy(token.id)}>
          Copy the id
        </Menu.Item>
        {token.kind === "management" && token.resources.includes("entries") && <ProposalsItem id={token.id} />}
        <Menu.Item
          leftSection={isEnabled ? <CirclePause size={15} /> : <CirclePlay size={15} />}
          onClick={() => (goodbye && isEnabled ? setAction("disable") : toggle().catch(notifyFailure))}
        >
          {isEnabled ? "Disable" : "Enable"}
        </Menu.Item>
        <Menu.Item leftSection={<RefreshCw size={15} />} onClick={() => setAction("rotate")}>
          Rotate
        </Menu.Item>
        <RemovalItem label="Revoke" onClick={() => setAction("revoke")} />
      </RowMenu>
      {action === "edit" && <TokenDialog token={token} onClose={close} />}
      {action === "disable" && (
        <Confirm title={`Disable ${name}?`} submit="Disable" onSubmit={toggle} onClose={close}>
          Its clients are refused until it is enabled again.{goodbye}
        </Confirm>
      )}
      {action === "rotate" && (
        <Confirm title={`Rotate ${name}?`} submit="Rotate" onSubmit={rotate} onClose={close}>
          It gets a new secret; clients with the current one are refused from then on.{goodbye}
        </Confirm>
      )}
      {action === "revoke" && (
        <Confirm title={`Revoke ${name}?`} submit="Revoke" onSubmit={revoke} onClose={close}>
          Its clients are refused from then on. This cannot be undone.{goodbye}
        </Confirm>
      )}
    </>
  );
}

const ProposalsItem = ({ id }: { id: string }) => (
  <Menu.Item leftSection={<FilePen size={15} />} onClick={() => go(addressOf("tokens", id))}>
    What it proposed
  </Menu.Item>
);
