import { Alert, Button, Center, EmptyState, Skeleton, Stack } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { LucideIcon } from "lucide-react";
import { CircleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { OctavoProblem } from "../../../client/src/client.ts";
import { say } from "../language/say.ts";
import { messageOf } from "../model/message.ts";

/** Placeholders for content: empty, loading, failed. */

type EmptyProps = {
  icon: LucideIcon;
  title: string;
  /** The title is the only heading of the page. */
  isPage?: boolean;
  children?: ReactNode;
  action?: ReactNode;
};

export function Empty({ icon: Icon, title, isPage = false, children, action }: EmptyProps) {
  return (
    <Center py={56} px="md">
      <EmptyState
        icon={<Icon size={28} strokeWidth={1.5} />}
        withIndicatorBackground
        title={title}
        attributes={isPage ? { title: { role: "heading", "aria-level": 1 } } : {}}
        description={children}
      >
        {action}
      </EmptyState>
    </Center>
  );
}

/** Skeleton rows of the height of the content, to avoid layout shifts. */
export function Loading({ rows = 6, height = 44 }: { rows?: number | undefined; height?: number | undefined }) {
  return (
    <Stack gap="xs" aria-busy="true" role="status" aria-label={say("Loading")}>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: these rows are identical.
        <Skeleton key={row} height={height} radius="sm" />
      ))}
    </Stack>
  );
}

/** Shows a failure as a notification. */
export const notifyFailure = (error: unknown): void =>
  void notifications.show({ color: "red", message: messageOf(error) });

type FailureProps = {
  error: unknown;
  /** Replaces the error's message. */
  message?: string;
  title?: string | undefined;
  retry?: string;
  onRetry?: () => void;
  /** A further remedy. */
  remedy?: ReactNode;
};

export function Failure({
  error,
  message = messageOf(error),
  title = say("The action failed"),
  retry = say("Try again"),
  onRetry,
  remedy,
}: FailureProps) {
  // A refusal says all there is; a fault of the service is found in its log.
  const requestId = error instanceof OctavoProblem && error.status >= 500 ? error.requestId : undefined;
  return (
    <Alert color="red" icon={<CircleAlert size={18} />} title={title} role="alert">
      <Stack gap="xs" align="flex-start">
        <span className="lines">
          {message.replace(/[^.?!]$/, "$&.")}
          {requestId !== undefined && <> {say("The log has it under {requestId}.", { requestId })}</>}
        </span>
        {onRetry && (
          <Button size="xs" variant="light" color="red" onClick={onRetry}>
            {retry}
          </Button>
        )}
        {remedy}
      </Stack>
    </Alert>
  );
}
