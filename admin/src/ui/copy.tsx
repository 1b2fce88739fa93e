import { ActionIcon, CopyButton, Group, Text, Tooltip } from "@mantine/core";
import { Check, Copy } from "lucide-react";
import { say } from "../language/say.ts";

/** A button that copies a text and confirms it. */
export function CopyIcon({ value, label }: { value: string; label: string }) {
  return (
    <CopyButton value={value} timeout={1600}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? say("Copied") : label}>
          <ActionIcon
            disabled={false}
            color={copied ? "teal" : "gray"}
            onClick={copy}
            aria-label={copied ? say("Copied") : label}
          >
            {copied ? <Check size={16} /> : <Copy size={16} />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}

type CopyLineProps = { value: string; label: string /** The text to show instead. */; shown?: string };

/** A line of text with a copy button; long text wraps anywhere. */
export function CopyLine({ value, label, shown = value }: CopyLineProps) {
  return (
    <Group className="copy-line" gap="xs" wrap="nowrap" align="flex-start">
      <Text component="code" size="xs" className="copy-line-text">
        {shown}
      </Text>
      <CopyIcon value={value} label={label} />
    </Group>
  );
}
