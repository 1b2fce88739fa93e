import { Badge, Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Plus, Webhook as WebhookIcon } from "lucide-react";
import { useState } from "react";
import type { Webhook, WebhookWithSecret } from "../../../client/src/api.ts";
import { octavo } from "../api/octavo.ts";
import { say } from "../language/say.ts";
import { type Column, from, ListPage } from "../ui/list.tsx";
import { refresh } from "../ui/query.ts";
import { sayParts } from "../ui/say-parts.tsx";
import { ShownOnce } from "../ui/shown-once.tsx";
import { Empty } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";
import { WebhookDialog } from "./webhook-dialog.tsx";
import { WebhookMenu } from "./webhook-menu.tsx";

const everyMs = 5000;

/** All webhooks: where events are sent, and whether that works. */
export function WebhooksPage() {
  const list = useQuery({
    queryKey: ["webhooks"],
    queryFn: () => octavo.webhooks.list(),
    refetchInterval: everyMs,
  });
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<WebhookWithSecret>();
  const forget = (): void => {
    setMade(undefined);
    void refresh("webhooks");
  };
  const menu: Column<Webhook> = { show: (webhook) => <WebhookMenu webhook={webhook} onSecret={setMade} /> };
  return (
    <ListPage
      isWide
      title={say("Webhooks")}
      description={say("Addresses that are told of every change, signed and in order.")}
      actions={
        <Button leftSection={<Plus size={15} />} onClick={() => setMaking(true)}>
          {say("New webhook")}
        </Button>
      }
      list={list}
      items={list.data}
      failure={say("The webhooks cannot be listed")}
      empty={<Empty icon={WebhookIcon} title={say("No webhooks yet")} />}
      table={{ columns: [...columns, menu], keyOf: ({ id }) => id }}
    >
      {isMaking && <WebhookDialog onMade={setMade} onClose={() => setMaking(false)} />}
      {made && <Secret webhook={made} onClose={forget} />}
    </ListPage>
  );
}

const Secret = ({ webhook, onClose }: { webhook: WebhookWithSecret; onClose(): void }) => (
  <ShownOnce
    title={say("The secret of the webhook")}
    icon={<WebhookIcon size={18} />}
    advice={say("Copy it now")}
    value={webhook.secret}
    label={say("Copy the secret")}
    hint={say("The receiver verifies each delivery with it, with any library of Standard Webhooks.")}
    onClose={onClose}
  >
    {say("It is shown this once. Lost, it can be replaced but not found again.")}
  </ShownOnce>
);

const columns: Column<Webhook>[] = [
  { label: say("Webhook"), cell: { "data-fill": true }, show: (webhook) => <Name webhook={webhook} /> },
  { label: say("Events"), ...from("md"), show: ({ kinds }) => kinds?.join(", ") ?? say("All") },
  {
    label: say("Paths"),
    ...from("md"),
    show: ({ paths }) =>
      paths ? (
        <Text size="xs" className="mono token-paths" title={paths.join("\n")}>
          {paths.join(", ")}
        </Text>
      ) : (
        say("Everywhere")
      ),
  },
  { label: say("State"), show: (webhook) => <State webhook={webhook} /> },
];

const Name = ({ webhook: { label, url } }: { webhook: Webhook }) => (
  <>
    <Text size="sm" fw={550} truncate>
      {label || say("No label")}
    </Text>
    <Text size="xs" c="dimmed" className="mono" truncate title={url}>
      {url}
    </Text>
  </>
);

function State({ webhook: { state, failing_since: since } }: { webhook: Webhook }) {
  if (state === "off") return <Badge color="gray">{say("Off")}</Badge>;
  const badge =
    state === "failed" ? <Badge color="red">{say("Failed")}</Badge> : <Badge color="yellow">{say("Failing")}</Badge>;
  if (since === null) return state === "failed" ? badge : <Badge color="teal">{say("On")}</Badge>;
  return (
    <>
      {badge}
      <Text size="xs" visibleFrom="xs">
        {sayParts("since {time}", { time: <Ago seconds={since} /> })}
      </Text>
    </>
  );
}
