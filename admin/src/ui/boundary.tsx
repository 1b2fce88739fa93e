import { Box } from "@mantine/core";
import { Component, type ReactNode } from "react";
import { Failure, messageOf } from "./state.tsx";

type BoundaryProps = {
  /** What is shown: another one is tried anew. */
  of: unknown;
  children: ReactNode;
};

/**
 * Keeps a part that fails from taking the page along: a script that cannot be loaded, or a mistake of ours. A script
 * that failed once stays failed, to React and to some browsers, and after an upgrade its address is gone: reloading is
 * what helps. What is not saved is asked for first, as at any leaving.
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
          error={`It could not be loaded, or it failed. The service may be down, or newer than this page.\n${messageOf(failed.error)}`}
          title="This part of the page cannot be shown"
          retry="Reload the page"
          onRetry={() => location.reload()}
        />
      </Box>
    );
  }
}
