import { ActionIcon, Menu } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { CirclePause, CirclePlay, Copy, EllipsisVertical, Pencil, RefreshCw, Trash2 } from "lucide-react";
import { useState } from "react";
import type { Token, TokenWithSecret } from "../../../client/src/api.ts";
import { octavo } from "../api/octavo.ts";
import { isOwn } from "../api/session.ts";
import { useSession } from "../session-context.ts";
import { Confirm } from "../ui/dialog.tsx";
import { refresh } from "../ui/query.ts";
import { notifyFailure } from "../ui/state.tsx";
import { TokenDialog } from "./token-dialog.tsx";

type Asked = "edit" | "disable" | "rotate" | "revoke";

/** What can be done with a token. What voids a secret is asked for first: that cannot be undone. */
export function TokenMenu({ token, onSecret }: { token: Token; onSecret(token: TokenWithSecret): void }) {
  const [asked, setAsked] = useState<Asked>();
  // Labels are not unique.
  const title = [token.label, token.kind, token.id.slice(0, 8)].filter(Boolean).join(", ");
  const clipboard = useClipboard();
  const name = token.label || `the ${token.kind} token`;
  const goodbye = isOwn(useSession(), token) && " You are signed in with it: this session ends, too.";
  const isEnabled = token.state === "enabled";
  const close = (): void => setAsked(undefined);
  const toggle = async (): Promise<void> => {
    await octavo.tokens.update(token.id, { state: isEnabled ? "disabled" : "enabled" });
    await refresh("tokens");
  };
  // Nothing is read before the secret was seen: whoever rotates a token of their own is signed out by that.
  const rotate = async (): Promise<void> => onSecret(await octavo.tokens.rotate(token.id));
  const revoke = async (): Promise<void> => {
    await octavo.tokens.revoke(token.id);
    await refresh("tokens");
  };
  return (
    <>
      <Menu>
        <Menu.Target>
          <ActionIcon aria-label={`Actions for ${title}`}>
            <EllipsisVertical size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<Pencil size={15} />} onClick={() => setAsked("edit")}>
            Edit
          </Menu.Item>
          <Menu.Item leftSection={<Copy size={15} />} onClick={() => clipboard.copy(token.id)}>
            Copy the id
          </Menu.Item>
          <Menu.Item
            leftSection={isEnabled ? <CirclePause size={15} /> : <CirclePlay size={15} />}
            onClick={() => (goodbye && isEnabled ? setAsked("disable") : toggle().catch(notifyFailure))}
          >
            {isEnabled ? "Disable" : "Enable"}
          </Menu.Item>
          <Menu.Item leftSection={<RefreshCw size={15} />} onClick={() => setAsked("rotate")}>
            Rotate
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item
            c="var(--mantine-color-error)"
            leftSection={<Trash2 size={15} />}
            onClick={() => setAsked("revoke")}
          >
            Revoke
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {asked === "edit" && <TokenDialog token={token} onClose={close} />}
      {asked === "disable" && (
        <Confirm title={`Disable ${name}?`} submit="Disable" onSubmit={toggle} onClose={close}>
          Whoever uses it is refused until it is enabled again.{goodbye}
        </Confirm>
      )}
      {asked === "rotate" && (
        <Confirm title={`Rotate ${name}?`} submit="Rotate" onSubmit={rotate} onClose={close}>
          It gets another secret; whoever uses the present one is refused from then on.{goodbye}
        </Confirm>
      )}
      {asked === "revoke" && (
        <Confirm title={`Revoke ${name}?`} submit="Revoke" onSubmit={revoke} onClose={close}>
          Whoever uses it is refused from then on. This cannot be undone.{goodbye}
        </Confirm>
      )}
    </>
  );
}
