import { Box, Button, Group } from "@mantine/core";
import { lazy, type ReactNode, Suspense, useContext, useState } from "react";
import { say } from "../language/say.ts";
import { siteAddress } from "../model/draft/published.ts";
import { useMay, useSession } from "../session-context.ts";
import { ReadOnlyContext } from "../ui/read-only.ts";

const EntryPicker = lazy(async () => ({ default: (await import("../picker/entry-picker.tsx")).EntryPicker }));

type LinkTargetProps = {
  label: string;
  /** It takes links within the site, `/blog/first`; otherwise whole addresses, which `site_url` makes. */
  isRelative: boolean;
  onChange(link: string): void;
  /** The input. */
  children: ReactNode;
};

/** A link that leads to an entry where one is chosen. */
export function LinkTarget({ label, isRelative, onChange, children }: LinkTargetProps) {
  const [isOpen, setOpen] = useState(false);
  const { site_url: template } = useSession();
  const isReadOnly = useContext(ReadOnlyContext);
  const mayChoose = useMay("entries") && (isRelative || template !== undefined);
  if (!mayChoose || isReadOnly) return children;
  const pick = (slug: string): void =>
    onChange((isRelative ? undefined : siteAddress(template, { slug })) ?? `/${slug}`);
  return (
    <Group gap="xs" wrap="nowrap">
      <Box flex={1} miw={0}>
        {children}
      </Box>
      <Button
        variant="default"
        px="sm"
        aria-label={say("Choose an entry for {label}", { label })}
        onClick={() => setOpen(true)}
      >
        {say("Choose…")}
      </Button>
      {isOpen && (
        <Suspense>
          <EntryPicker onPick={pick} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </Group>
  );
}
