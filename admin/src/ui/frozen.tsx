import { type MantineThemeOverride, MantineThemeProvider } from "@mantine/core";
import type { ReactNode } from "react";
import { ReadOnlyContext } from "./read-only.ts";

const off = { defaultProps: { disabled: true } };

/** Texts take the focus, so that they can be read by keyboard and copied; what only acts is off. */
const readOnly: MantineThemeOverride = {
  components: {
    Input: { defaultProps: { readOnly: true } },
    ...{ NativeSelect: off, Select: off, Switch: off, Checkbox: off, Radio: off, Chip: off },
    ...{ Button: off, ActionIcon: off },
  },
};

/**
 * Where nothing can be changed while it is frozen, and all can be read. Whoever edits gives what is inside an `edit` that does
 * nothing, and the element around it `data-frozen`.
 */
export function Frozen({ isFrozen, children }: { isFrozen: boolean; children: ReactNode }) {
  return (
    <ReadOnlyContext value={isFrozen}>
      <MantineThemeProvider inherit {...(isFrozen && { theme: readOnly })}>
        {children}
      </MantineThemeProvider>
    </ReadOnlyContext>
  );
}
