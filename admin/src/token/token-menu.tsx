import { Menu } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { CirclePause, CirclePlay, Copy, FilePen, Pencil, RefreshCw } from "lucide-react";
import { useState } from "react";
import type { Token, TokenWithSecret } from "../../../client/src/api.ts";
import { octavo } from "../api/octavo.ts";
import { isOwn } from "../api/session.ts";
import { say } from "../language/say.ts";
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
  const { title, name, goodbye } = useWords(token);
  const clipboard = useClipboard();
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
          {say("Edit")}
        </Menu.Item>
        <Menu.Item leftSection={<Copy size={15} />} onClick={() => clipboard.copy(token.id)}>
          {say("Copy the id")}
        </Menu.Item>
        {token.kind === "management" && token.resources.includes("entries") && <ProposalsItem id={token.id} />}
        <Menu.Item
          leftSection={isEnabled ? <CirclePause size={15} /> : <CirclePlay size={15} />}
          onClick={() => (goodbye && isEnabled ? setAction("disable") : toggle().catch(notifyFailure))}
        >
          {isEnabled ? say("Disable") : say("Enable")}
        </Menu.Item>
        <Menu.Item leftSection={<RefreshCw size={15} />} onClick={() => setAction("rotate")}>
          {say("Rotate")}
        </Menu.Item>
        <RemovalItem label={say("Revoke")} onClick={() => setAction("revoke")} />
      </RowMenu>
      {action === "edit" && <TokenDialog token={token} onClose={close} />}
      {action === "disable" && (
        <Confirm title={say("Disable {name}?", { name })} submit={say("Disable")} onSubmit={toggle} onClose={close}>
          {say("Its clients are refused until it is enabled again.")}
          {goodbye}
        </Confirm>
      )}
      {action === "rotate" && (
        <Confirm title={say("Rotate {name}?", { name })} submit={say("Rotate")} onSubmit={rotate} onClose={close}>
          {say("It gets a new secret; clients with the current one are refused from then on.")}
          {goodbye}
        </Confirm>
      )}
      {action === "revoke" && (
        <Confirm title={say("Revoke {name}?", { name })} submit={say("Revoke")} onSubmit={revoke} onClose={close}>
          {say("Its clients are refused from then on. This cannot be undone.")}
          {goodbye}
        </Confirm>
      )}
    </>
  );
}

const ProposalsItem = ({ id }: { id: string }) => (
  <Menu.Item leftSection={<FilePen size={15} />} onClick={() => go(addressOf("tokens", id))}>
    {say("What it proposed")}
  </Menu.Item>
);

function useWords(token: Token) {
  // Labels are not unique.
  const title = [token.label, token.kind, token.id.slice(0, 8)].filter(Boolean).join(", ");
  const name = token.label || say("the {kind} token", { kind: token.kind });
  const goodbye = isOwn(useSession(), token) && ` ${say("You are signed in with it: this session ends, too.")}`;
  return { title, name, goodbye };
}
