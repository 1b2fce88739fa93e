import { Menu } from "@mantine/core";
import { CirclePause, CirclePlay, List, Pencil, RefreshCw, Send } from "lucide-react";
import { useState } from "react";
import type { Webhook, WebhookWithSecret } from "../../../client/src/api.ts";
import { octavo } from "../api/octavo.ts";
import { say } from "../language/say.ts";
import { Confirm } from "../ui/dialog.tsx";
import { refresh } from "../ui/query.ts";
import { RemovalItem, RowMenu } from "../ui/row-menu.tsx";
import { notifyFailure } from "../ui/state.tsx";
import { Deliveries } from "./deliveries.tsx";
import { WebhookDialog } from "./webhook-dialog.tsx";

type Action = "edit" | "deliveries" | "test" | "rotate" | "delete";

const rotated = say(
  "It gets a new one. For 24 hours deliveries are signed with both, so that the receiver can change it meanwhile.",
);

/** Actions on a webhook. */
export function WebhookMenu({ webhook, onSecret }: { webhook: Webhook; onSecret(webhook: WebhookWithSecret): void }) {
  const [action, setAction] = useState<Action>();
  const { id, label, url, state } = webhook;
  const name = label || url;
  const isOn = state === "on";
  const close = (): void => setAction(undefined);
  const toggle = async (): Promise<void> => {
    await octavo.webhooks.update(id, { state: isOn ? "off" : "on" });
    await refresh("webhooks");
  };
  const rotate = async (): Promise<void> => onSecret(await octavo.webhooks.rotate(id));
  const remove = async (): Promise<void> => {
    await octavo.webhooks.delete(id);
    await refresh("webhooks");
  };
  return (
    <>
      <RowMenu name={name}>
        <Menu.Item leftSection={<List size={15} />} onClick={() => setAction("deliveries")}>
          {say("Last deliveries")}
        </Menu.Item>
        <Menu.Item leftSection={<Send size={15} />} onClick={() => setAction("test")}>
          {say("Test")}
        </Menu.Item>
        <Menu.Item leftSection={<Pencil size={15} />} onClick={() => setAction("edit")}>
          {say("Edit")}
        </Menu.Item>
        <Menu.Item
          leftSection={isOn ? <CirclePause size={15} /> : <CirclePlay size={15} />}
          onClick={() => toggle().catch(notifyFailure)}
        >
          {isOn ? say("Switch off") : say("Switch on")}
        </Menu.Item>
        <Menu.Item leftSection={<RefreshCw size={15} />} onClick={() => setAction("rotate")}>
          {say("Rotate the secret")}
        </Menu.Item>
        <RemovalItem onClick={() => setAction("delete")} />
      </RowMenu>
      {action === "edit" && <WebhookDialog webhook={webhook} onClose={close} />}
      {(action === "deliveries" || action === "test") && (
        <Deliveries webhook={webhook} isTest={action === "test"} onClose={close} />
      )}
      {action === "rotate" && (
        <Confirm
          title={say("Rotate the secret of {name}?", { name })}
          submit={say("Rotate")}
          onSubmit={rotate}
          onClose={close}
        >
          {rotated}
        </Confirm>
      )}
      {action === "delete" && (
        <Confirm title={say("Delete {name}?", { name })} submit={say("Delete")} onSubmit={remove} onClose={close}>
          {say("It is told of nothing any more, and its deliveries are forgotten. This cannot be undone.")}
        </Confirm>
      )}
    </>
  );
}
