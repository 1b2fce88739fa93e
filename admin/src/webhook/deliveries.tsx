import { Badge, Button, Group, Table, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Send } from "lucide-react";
import { useEffect } from "react";
import type { Webhook, WebhookAttempt } from "../../../client/src/api.ts";
import { octavo } from "../api/octavo.ts";
import { say } from "../language/say.ts";
import { formatMoment } from "../model/format.ts";
import { Dialog } from "../ui/dialog.tsx";
import { ListStates } from "../ui/list.tsx";
import { refresh } from "../ui/query.ts";
import { Empty, notifyFailure } from "../ui/state.tsx";
import { Ago } from "../ui/time.tsx";

type DeliveriesProps = { webhook: Webhook; isTest: boolean; onClose(): void };

/** The last attempts with their answers; sends a test, and deliveries again. */
export function Deliveries({ webhook: { id, label, url }, isTest, onClose }: DeliveriesProps) {
  const key = ["webhook", id, "deliveries"];
  const list = useQuery({ queryKey: key, queryFn: () => octavo.webhooks.deliveries(id), refetchInterval: 5000 });
  const { mutate, isPending, variables } = useMutation({
    /** Without a sequence a test. */
    mutationFn: (sequence: number | null) =>
      sequence === null ? octavo.webhooks.test(id) : octavo.webhooks.resend(id, sequence),
    onSettled: async () => {
      await list.refetch();
      await refresh("webhooks");
    },
    onError: notifyFailure,
  });
  // The action of the menu, once: StrictMode runs effects twice.
  useEffect(() => {
    const timer = isTest ? setTimeout(() => mutate(null)) : undefined;
    return () => clearTimeout(timer);
  }, [isTest, mutate]);
  return (
    <Dialog onClose={onClose} title={say("Deliveries to {label}", { label: label || url })} size="xl">
      <Group mb="sm" justify="space-between">
        <Text size="sm" c="dimmed">
          {say("The last hundred attempts.")}
        </Text>
        <Button
          size="xs"
          variant="default"
          leftSection={<Send size={14} />}
          loading={isPending && variables === null}
          onClick={() => mutate(null)}
        >
          {say("Send a test")}
        </Button>
      </Group>
      <ListStates
        list={list}
        items={list.data}
        failure={say("The deliveries cannot be listed")}
        empty={<Empty icon={Send} title={say("Nothing was sent yet")} />}
      >
        {(items) => <Attempts items={items} isBusy={isPending} onResend={mutate} />}
      </ListStates>
    </Dialog>
  );
}

type AttemptsProps = { items: readonly WebhookAttempt[]; isBusy: boolean; onResend(sequence: number): void };

function Attempts({ items, isBusy, onResend }: AttemptsProps) {
  // Of each delivery the button stands once, at its last attempt.
  const last = new Map(items.toReversed().map((attempt) => [attempt.sequence, attempt]));
  return (
    <Table verticalSpacing={6}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{say("Event")}</Table.Th>
          <Table.Th>{say("Answer")}</Table.Th>
          <Table.Th visibleFrom="xs">{say("Sent")}</Table.Th>
          <Table.Th visibleFrom="sm">{say("Next try")}</Table.Th>
          <Table.Td />
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {items.map((item) => (
          <Attempt key={`${item.sequence} ${item.attempt} ${item.at}`} item={item}>
            {item.sequence !== null && last.get(item.sequence) === item && (
              <Button size="compact-xs" variant="subtle" disabled={isBusy} onClick={() => onResend(item.sequence ?? 0)}>
                {say("Send again")}
              </Button>
            )}
          </Attempt>
        ))}
      </Table.Tbody>
    </Table>
  );
}

const Attempt = ({ item, children }: { item: WebhookAttempt; children: React.ReactNode }) => (
  <Table.Tr>
    <Table.Td>
      {item.sequence ?? say("Test")}
      {item.attempt > 1 && (
        <Text size="xs" c="dimmed">
          {say("attempt {attempt}", { attempt: item.attempt })}
        </Text>
      )}
    </Table.Td>
    <Table.Td>
      <Badge color={item.status !== null && item.status >= 200 && item.status < 300 ? "teal" : "red"}>
        {item.status ?? item.error}
      </Badge>
      <Text size="xs" c="dimmed">
        {say("{duration_ms} ms", { duration_ms: item.duration_ms })}
        <Text span inherit hiddenFrom="xs">
          , <Ago seconds={item.at} />
        </Text>
      </Text>
    </Table.Td>
    <Table.Td visibleFrom="xs">
      <Ago seconds={item.at} />
    </Table.Td>
    <Table.Td visibleFrom="sm">{item.next_at === null ? "–" : formatMoment(item.next_at)}</Table.Td>
    <Table.Td ta="end">{children}</Table.Td>
  </Table.Tr>
);
