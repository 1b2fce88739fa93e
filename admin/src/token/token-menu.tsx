import { ActionIcon, Menu } from "@mantine/core";
import { CirclePause, CirclePlay, EllipsisVertical, Pencil, RefreshCw, Trash2 } from "lucide-react";
import { useState } from "react";
import type { Token, TokenWithSecret } from "../../../client/src/api.ts";
import { revokeToken, rotateToken, updateToken } from "../api/token.ts";
import { Confirm } from "../ui/dialog.tsx";
import { refresh } from "../ui/query.ts";
import { notifyFailure } from "../ui/state.tsx";
import { TokenDialog } from "./token-dialog.tsx";

type Asked = "edit" | "rotate" | "revoke";

/** What can be done with a token. What voids a secret is asked for first: that cannot be undone. */
export function TokenMenu({ token, onSecret }: { token: Token; onSecret(token: TokenWithSecret): void }) {
  const [asked, setAsked] = useState<Asked>();
  const name = token.label || `the ${token.kind} token`;
  const isEnabled = token.state === "enabled";
  const close = (): void => setAsked(undefined);
  const toggle = (): void => {
    updateToken(token.id, { state: isEnabled ? "disabled" : "enabled" }).then(() => refresh("tokens"), notifyFailure);
  };
  const rotate = async (): Promise<void> => {
    onSecret(await rotateToken(token.id));
    await refresh("tokens");
  };
  const revoke = async (): Promise<void> => {
    await revokeToken(token.id);
    await refresh("tokens");
  };
  return (
    <>
      <Menu>
        <Menu.Target>
          <ActionIcon aria-label={`Actions for ${name}`}>
            <EllipsisVertical size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<Pencil size={15} />} onClick={() => setAsked("edit")}>
            Edit
          </Menu.Item>
          <Menu.Item leftSection={isEnabled ? <CirclePause size={15} /> : <CirclePlay size={15} />} onClick={toggle}>
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
      {asked === "rotate" && (
        <Confirm title={`Rotate ${name}?`} submit="Rotate" onSubmit={rotate} onClose={close}>
          It gets another secret; whoever uses the present one is refused from then on.
        </Confirm>
      )}
      {asked === "revoke" && (
        <Confirm title={`Revoke ${name}?`} submit="Revoke" onSubmit={revoke} onClose={close}>
          Whoever uses it is refused from then on. This cannot be undone.
        </Confirm>
      )}
    </>
  );
}
