import { Badge, Box, Button, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Bot, KeyRound, Plus } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import type { Token, TokenWithSecret } from "../../../client/src/api.ts";
import { octavo } from "../api/octavo.ts";
import { isOwn } from "../api/session.ts";
import { say } from "../language/say.ts";
import { formatCount } from "../model/format.ts";
import { resourcesText } from "../model/resource.ts";
import { useActorName } from "../query/actor-name.ts";
import { useSession } from "../session-context.ts";
import { type Column, from, ListPage } from "../ui/list.tsx";
import type { PageAddress } from "../ui/location.tsx";
import { refresh } from "../ui/query.ts";
import { Empty } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";
import { Secret } from "./secret.tsx";
import { TokenDialog } from "./token-dialog.tsx";
import { TokenMenu } from "./token-menu.tsx";

const ConnectAgent = lazy(async () => ({ default: (await import("../agent/connect-agent.tsx")).ConnectAgent }));
const ProposalsPage = lazy(async () => ({ default: (await import("../agent/proposals-page.tsx")).ProposalsPage }));

/** All tokens, without their secrets, or what one of them proposed. */
export const TokensPage = ({ place: { path } }: { place: PageAddress }) =>
  path === "" ? (
    <AllTokens />
  ) : (
    <Suspense>
      <ProposalsPage key={path} id={path} />
    </Suspense>
  );

function AllTokens() {
  const list = useQuery({ queryKey: ["tokens"], queryFn: () => octavo.tokens.list() });
  const [isMaking, setMaking] = useState(false);
  const [isConnecting, setConnecting] = useState(false);
  const [made, setMade] = useState<TokenWithSecret>();
  const forget = (): void => {
    setMade(undefined);
    void refresh("tokens");
  };
  const menu: Column<Token> = { show: (token) => <TokenMenu token={token} onSecret={setMade} /> };
  return (
    <ListPage
      isWide
      title={say("Tokens")}
      description={say("One per client, so that each can be revoked separately.")}
      actions={
        <>
          <Button variant="default" leftSection={<Bot size={15} />} onClick={() => setConnecting(true)}>
            {say("Connect an agent")}
          </Button>
          <Button leftSection={<Plus size={15} />} onClick={() => setMaking(true)}>
            {say("New token")}
          </Button>
        </>
      }
      list={list}
      items={list.data}
      failure={say("The tokens cannot be listed")}
      empty={<Empty icon={KeyRound} title={say("No tokens yet")} />}
      table={{ columns: [...columns, menu], keyOf: ({ id }) => id }}
    >
      {isMaking && <TokenDialog onMade={setMade} onClose={() => setMaking(false)} />}
      {isConnecting && (
        <Suspense>
          <ConnectAgent onClose={() => setConnecting(false)} />
        </Suspense>
      )}
      {made && <Secret token={made} onClose={forget} />}
    </ListPage>
  );
}

const columns: Column<Token>[] = [
  { label: say("Token"), cell: { className: "token-name" }, show: (token) => <Name token={token} /> },
  { label: say("Kind"), ...from("sm"), show: ({ kind }) => kind },
  {
    label: say("Resources"),
    ...from("md"),
    show: (token) => (
      <>
        {resourcesText(token.resources)}
        <Limits token={token} />
      </>
    ),
  },
  { label: say("State"), show: (token) => <TokenState token={token} /> },
  {
    label: say("Calls"),
    both: { ta: "end", visibleFrom: "xs" },
    cell: { className: "quiet" },
    show: ({ calls, limit_calls: limit }) =>
      limit > 0 ? say("{calls} of {limit}", { calls, limit }) : formatCount(calls),
  },
  {
    label: say("Last used"),
    ...from("sm"),
    show: ({ last_used_at: at }) => (at === null ? say("Never") : <Ago seconds={at} />),
  },
  {
    label: say("Expires"),
    ...from("sm"),
    show: ({ expires_at: at }) => (at === null ? say("Never") : <Ago seconds={at} />),
  },
];

function Name({ token }: { token: Token }) {
  const session = useSession();
  return (
    <>
      <Group gap={6} wrap="nowrap">
        <Text size="sm" fw={550} truncate>
          {token.label || say("No label")}
        </Text>
        {isOwn(session, token) && <Badge size="sm">{say("You")}</Badge>}
      </Group>
      <Text size="xs" hiddenFrom="sm">
        {token.kind}
      </Text>
      <Box hiddenFrom="md">
        <Limits token={token} />
      </Box>
      <Text size="xs" c="dimmed" truncate title={token.id}>
        {token.environment || <span className="mono">{token.id.slice(0, 8)}</span>}
      </Text>
    </>
  );
}

/** Where it is valid, whether its writes are live, and with which token it ends. Nothing for a token without limits. */
function Limits({ token: { paths, writes, locales, maker } }: { token: Token }) {
  const actorName = useActorName();
  return (
    <>
      {paths && (
        <Text size="xs" className="mono token-paths" title={paths.join("\n")}>
          {paths.join(", ")}
        </Text>
      )}
      {writes === "staged" && <Text size="xs">{say("drafts and working copies only")}</Text>}
      {locales && <Text size="xs">{say("changes {locales} only", { locales: locales.join(", ") })}</Text>}
      {maker !== undefined && <Text size="xs">{say("made by {name}", { name: actorName(maker) })}</Text>}
    </>
  );
}

function TokenState({ token }: { token: Token }) {
  if (token.state === "disabled") return <Badge color="gray">{say("Disabled")}</Badge>;
  if (token.expires_at !== null && token.expires_at * 1000 < Date.now())
    return <Badge color="red">{say("Expired")}</Badge>;
  if (token.limit_calls > 0 && token.calls >= token.limit_calls) return <Badge color="yellow">{say("Used up")}</Badge>;
  return <Badge color="teal">{say("In force")}</Badge>;
}
