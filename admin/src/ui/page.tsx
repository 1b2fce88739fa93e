import { Box, Group, Text, Title } from "@mantine/core";
import { type ReactNode, useEffect } from "react";

export type PageProps = {
  title: string;
  description?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  isWide?: boolean | undefined;
};

/** A page with its heading. */
export function Page({ title, description, actions, children, isWide = false }: PageProps) {
  useTitle(title);
  return (
    <Box className="page" data-wide={isWide || undefined}>
      <Group justify="space-between" align="flex-start" mb="lg" gap="sm">
        <div>
          <Title order={1} dir="auto" w="fit-content">
            {title}
          </Title>
          {description && (
            <Text component="div" c="dimmed" size="sm" mt={2} maw={640}>
              {description}
            </Text>
          )}
        </div>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Box>
  );
}

// A live region that announces page changes to screen readers, as a full navigation would.
const spoken = document.createElement("div");
spoken.role = "status";
spoken.className = "spoken";
document.body.append(spoken);

/** Sets the title of the tab and announces the page to screen readers. A temporary title restores the previous one. */
export function useTitle(title: string, isPassing = false): void {
  useEffect(() => {
    const before = spoken.textContent ?? "";
    announce(title);
    return isPassing ? () => announce(before) : undefined;
  }, [title, isPassing]);
}

function announce(title: string): void {
  document.title = `${title} · Octavo`;
  spoken.textContent = title;
}
