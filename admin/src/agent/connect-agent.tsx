import { Alert, Text, TextInput } from "@mantine/core";
import { useRef, useState } from "react";
import type { Release } from "../api/release.ts";
import { say } from "../language/say.ts";
import type { Connection } from "../model/clients.ts";
import { PathsInput } from "../picker/paths-input.tsx";
import { useReleaseInput } from "../release/add-dialog.tsx";
import { useMay, useSession } from "../session-context.ts";
import { Dialog, FormDialog } from "../ui/dialog.tsx";
import { refresh } from "../ui/query.ts";
import { AgentConnection } from "./agent-connection.tsx";
import { makeAgentTokens } from "./agent-tokens.ts";

type Made = { connection: Connection; release: Release | undefined };

/** Makes the tokens of an agent, which proposes and does not publish, and shows how a client uses them. */
export function ConnectAgent({ onClose }: { onClose(): void }) {
  const { mcp_url: address } = useSession();
  const [made, setMade] = useState<Made>();
  if (address === undefined) return <SwitchedOff onClose={onClose} />;
  if (!made) return <AgentForm url={serviceOf(address)} onMade={setMade} onClose={onClose} />;
  return <AgentConnection {...made} onClose={onClose} />;
}

const serviceOf = (address: string): string => new URL(address, location.origin).href.replace(/\/mcp$/, "");

type FormProps = { url: string; onMade(made: Made): void; onClose(): void };

function AgentForm({ url, onMade, onClose }: FormProps) {
  const [label, setLabel] = useState("");
  const [paths, setPaths] = useState<string[]>([]);
  const made = useRef<Made>(undefined);
  const { input, isReady, take } = useReleaseInput(say("None"));
  const hasReleases = useMay("entries");
  const connect = async (): Promise<void> => {
    const release = hasReleases ? await take() : undefined;
    made.current = { connection: { url, ...(await makeAgentTokens(label.trim(), paths)) }, release };
    await refresh("tokens");
  };
  return (
    <FormDialog
      title={say("Connect an agent")}
      submit={say("Connect")}
      size="lg"
      onSubmit={connect}
      onClose={() => (made.current ? onMade(made.current) : onClose())}
      isDisabled={label.trim() === "" || !isReady}
    >
      <Text size="sm" c="dimmed">
        {say("It reads, drafts and changes working copies with a token of its own; people publish.")}
      </Text>
      <TextInput
        label={say("Name")}
        placeholder={say("Agent of Ada")}
        value={label}
        onChange={(event) => setLabel(event.currentTarget.value)}
        maxLength={200}
        autoComplete="off"
        data-autofocus
        required
      />
      <PathsInput value={paths} onChange={setPaths} />
      {hasReleases && input}
    </FormDialog>
  );
}

const SwitchedOff = ({ onClose }: { onClose(): void }) => (
  <Dialog title={say("Connect an agent")} onClose={onClose}>
    <Alert color="yellow" title={say("Agents are switched off")}>
      {say("The setting mcp of this service is off: set it to on, and start the service again.")}
    </Alert>
  </Dialog>
);
