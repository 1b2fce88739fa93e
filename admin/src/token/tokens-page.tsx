import { Badge, Box, Button, Group, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { KeyRound, Plus } from "lucide-react";
import { useState } from "react";
import type { Token, TokenWithSecret } from "../../../client/src/api.ts";
import { octavo } from "../api/octavo.ts";
import { isOwn } from "../api/session.ts";
import { useSession } from "../session-context.ts";
import { formatCount } from "../ui/format.ts";
import { Page } from "../ui/page.tsx";
import { refresh } from "../ui/query.ts";
import { Empty, Failure, Loading } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";
import { useActorName } from "./actor-name.ts";
import { Secret } from "./secret.tsx";
import { TokenDialog } from "./token-dialog.tsx";
import { TokenMenu } from "./token-menu.tsx";

/** All tokens, without their secrets. */
export function TokensPage() {
  const { data: tokens, error, refetch } = useQuery({ queryKey: ["tokens"], queryFn: () => octavo.tokens.list() });
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<TokenWithSecret>();
  const forget = (): void => {
    setMade(undefined);
    void refresh("tokens");
  };
  return (
    <Page
      isWide
      title="Tokens"
      description="One per client, so that each can be revoked separately."
      actions={
        <Button leftSection={<Plus size={15} />} onClick={() => setMaking(true)}>
          New token
        </Button>
      }
    >
      {error ? (
        <Failure error={error} title="The tokens cannot be listed" onRetry={() => void refetch()} />
      ) : !tokens ? (
        <Loading />
      ) : tokens.length === 0 ? (
        <Empty icon={KeyRound} title="No tokens yet" />
      ) : (
        <TokenTable tokens={tokens} onSecret={setMade} />
      )}
      {isMaking && <TokenDialog onMade={setMade} onClose={() => setMaking(false)} />}
      {made && <Secret token={made} onClose={forget} />}
    </Page>
  );
}

type TableProps = { tokens: Token[]; onSecret(token: TokenWithSecret): void };

function TokenTable({ tokens, onSecret }: TableProps) {
  const session = useSession();
  return (
    <div className="panel table-panel">
      <Table verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Token</Table.Th>
            <Table.Th visibleFrom="sm">Kind</Table.Th>
            <Table.Th visibleFrom="md">Resources</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th ta="right" visibleFrom="xs">
              Calls
            </Table.Th>
            <Table.Th visibleFrom="sm">Last used</Table.Th>
            <Table.Th visibleFrom="sm">Expires</Table.Th>
            <Table.Td />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {tokens.map((token) => (
            <Table.Tr key={token.id}>
              <Table.Td className="token-name">
                <Group gap={6} wrap="nowrap">
                  <Text size="sm" fw={550} truncate>
                    {token.label || "No label"}
                  </Text>
                  {isOwn(session, token) && <Badge size="sm">You</Badge>}
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
              </Table.Td>
              <Table.Td visibleFrom="sm" className="quiet">
                {token.kind}
              </Table.Td>
              <Table.Td visibleFrom="md" className="quiet">
                {token.resources.join(", ")}
                <Limits token={token} />
              </Table.Td>
              <Table.Td>
                <TokenState token={token} />
              </Table.Td>
              <Table.Td ta="right" visibleFrom="xs" className="quiet">
                {formatCount(token.calls)}
                {token.limit_calls > 0 && ` of ${formatCount(token.limit_calls)}`}
              </Table.Td>
              <Table.Td visibleFrom="sm" className="quiet">
                {token.last_used_at === null ? "Never" : <Ago seconds={token.last_used_at} />}
              </Table.Td>
              <Table.Td visibleFrom="sm" className="quiet">
                {token.expires_at === null ? "Never" : <Ago seconds={token.expires_at} />}
              </Table.Td>
              <Table.Td>
                <TokenMenu token={token} onSecret={onSecret} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

/** Where it is valid, whether its writes are live, and with which token it ends. Nothing for a token without limits. */
function Limits({ token: { paths, writes, maker } }: { token: Token }) {
  const actorName = useActorName();
  return (
    <>
      {paths && (
        <Text size="xs" className="mono token-paths" title={paths.join("\n")}>
          {paths.join(", ")}
        </Text>
      )}
      {writes === "staged" && <Text size="xs">drafts and working copies only</Text>}
      {maker !== undefined && <Text size="xs">made by {actorName(maker)}</Text>}
    </>
  );
}

function TokenState({ token }: { token: Token }) {
  if (token.state === "disabled") return <Badge color="gray">Disabled</Badge>;
  if (token.expires_at !== null && token.expires_at * 1000 < Date.now()) return <Badge color="red">Expired</Badge>;
  if (token.limit_calls > 0 && token.calls >= token.limit_calls) return <Badge color="yellow">Used up</Badge>;
  return <Badge color="teal">In force</Badge>;
}
