import { Box } from "@mantine/core";
import { Component, type ReactNode } from "react";
import { say } from "../language/say.ts";
import { messageOf } from "../model/message.ts";
import { Failure } from "./state.tsx";

type BoundaryProps = {
  /** Identifies the content: a new key tries again. */
  of: unknown;
  children: ReactNode;
};

/**
 * An error boundary around a part of the page, for scripts that cannot be loaded and for bugs. React and some browsers
 * remember a failed script, and after an upgrade its URL is gone: only reloading the page helps. Like any navigation, it
 * asks before unsaved changes are lost.
 */
export class Boundary extends Component<BoundaryProps, { failed?: { error: unknown } }> {
  override state: { failed?: { error: unknown } } = {};

  static getDerivedStateFromError(error: unknown) {
    return { failed: { error } };
  }

  override componentDidUpdate(before: BoundaryProps): void {
    if (this.state.failed && before.of !== this.props.of) this.setState({ failed: undefined });
  }

  override render(): ReactNode {
    const { failed } = this.state;
    if (!failed) return this.props.children;
    return (
      <Box p="md">
        <Failure
          error={say(
            "It could not be loaded, or it failed. The service may be down, or newer than this page. Unsaved changes of entries are kept in this browser: they are here again after a reload.\n{reason}",
            { reason: messageOf(failed.error) },
          )}
          title={say("This part of the page cannot be shown")}
          retry={say("Reload the page")}
          onRetry={() => location.reload()}
        />
      </Box>
    );
  }
}
