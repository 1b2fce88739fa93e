import { NativeSelect, Text } from "@mantine/core";
import { Bot } from "lucide-react";
import { useState } from "react";
import type { Release } from "../api/release.ts";
import { say } from "../language/say.ts";
import { type Connection, configurationsOf, instructionOf } from "../model/clients.ts";
import { CopyLine } from "../ui/copy.tsx";
import { OnceDialog } from "../ui/shown-once.tsx";

type ConnectionProps = { connection: Connection; release: Release | undefined; onClose(): void };

/** Shows once how a client is connected, and what to tell the agent. */
export function AgentConnection({ connection, release, onClose }: ConnectionProps) {
  const all = configurationsOf(connection);
  const [client, setClient] = useState(all[0]?.client);
  const chosen = all.find((each) => each.client === client);
  return (
    <OnceDialog
      title={say("The agent is connected with this")}
      icon={<Bot size={18} />}
      advice={say("Copy it now")}
      why={say(
        "It has the secrets of both tokens, which are shown this once. The agent proposes with them, and cannot publish.",
      )}
      onClose={onClose}
    >
      <NativeSelect
        label={say("Client")}
        description={chosen?.where}
        data={all.map((each) => each.client)}
        value={client}
        onChange={(event) => setClient(event.currentTarget.value)}
        data-autofocus
      />
      {chosen && <CopyLine value={chosen.text} label={say("Copy the configuration")} />}
      {release && (
        <>
          <Text size="sm">{say("Put this into the instructions of the agent:")}</Text>
          <CopyLine value={instructionOf(release)} label={say("Copy the instruction")} />
        </>
      )}
      <Text size="xs" c="dimmed">
        {say('"What it proposed" in the menu of its management token lists its drafts and changes.')}
      </Text>
    </OnceDialog>
  );
}
