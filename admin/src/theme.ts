import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from "@mantine/core";
import { say } from "./language/say.ts";

const ink: MantineColorsTuple = [
  ...(["#dce0e7", "#b4bbc7", "#8f98a7", "#666f7e", "#3a424f", "#2b323d", "#1f252e"] as const),
  ...(["#161a21", "#11151a", "#0c0f13"] as const),
] as unknown as MantineColorsTuple;

const paper: MantineColorsTuple = [
  ...(["#f7f8fa", "#f1f3f6", "#e7eaef", "#dbdfe6", "#c6ccd6", "#8a93a2", "#5c6573"] as const),
  ...(["#465061", "#313a49", "#1d2430"] as const),
] as unknown as MantineColorsTuple;

/** The header of a dialog is not a landmark of the page. */
const plainHeader = { header: { role: "presentation" } };

export const theme = createTheme({
  primaryColor: "indigo",
  primaryShade: 7,
  autoContrast: true,
  colors: { dark: ink, gray: paper },
  defaultRadius: "md",
  cursorType: "pointer",
  fontFamily: 'Inter, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", Ubuntu, sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace',
  headings: {
    fontWeight: "620",
    sizes: { h1: { fontSize: "1.375rem", lineHeight: "1.3" }, h2: { fontSize: "1rem", lineHeight: "1.4" } },
  },
  components: {
    Tooltip: { defaultProps: { openDelay: 350, withArrow: true } },
    Menu: {
      defaultProps: { position: "bottom-end", shadow: "md", withinPortal: true, withInitialFocusPlaceholder: false },
    },
    Modal: {
      defaultProps: {
        attributes: plainHeader,
        overlayProps: { backgroundOpacity: 0.45, blur: 2 },
        closeButtonProps: { "aria-label": say("Close") },
      },
    },
    Notification: { defaultProps: { closeButtonProps: { "aria-label": say("Close") } } },
    Drawer: { defaultProps: { attributes: plainHeader, closeButtonProps: { "aria-label": say("Close") } } },
    ActionIcon: { defaultProps: { variant: "subtle", color: "gray" } },
    Badge: { defaultProps: { variant: "light", radius: "sm", tt: "none", fw: 600 } },
    Switch: { defaultProps: { withThumbIndicator: false } },
  },
});

/** White text on it keeps a contrast of at least 4.5 to 1. */
const redButtons = { "--mantine-color-red-filled": "#c02020", "--mantine-color-red-filled-hover": "#a81c1c" };

/** Dimmed text keeps a contrast of at least 4.5 to 1 on every background. */
export const cssVariables: CSSVariablesResolver = (mantine) => ({
  variables: {},
  light: {
    ...redButtons,
    "--mantine-color-dimmed": mantine.colors.gray[6],
    "--mantine-color-placeholder": mantine.colors.gray[6],
    "--mantine-color-text": "#1b212c",
    "--mantine-color-error": "#c02020",
    "--mantine-color-teal-light-color": "#07644a",
    "--mantine-color-yellow-light-color": "#7d4400",
    "--mantine-color-blue-light-color": "#14529a",
    "--mantine-color-gray-light-color": "#3d4756",
    "--mantine-color-red-light-color": "#a81c1c",
    "--mantine-color-indigo-light-color": "#2f42ab",
    "--octavo-ground": mantine.colors.gray[0],
    "--octavo-panel": "#ffffff",
    "--octavo-line": mantine.colors.gray[2],
    "--octavo-hover": mantine.colors.gray[1],
    "--octavo-chosen": "#e9edff",
    "--octavo-accent": "#3549b9",
  },
  dark: {
    ...redButtons,
    "--mantine-color-dimmed": "#98a1b0",
    "--mantine-color-placeholder": "#8f98a7",
    "--mantine-color-text": "#dfe3ea",
    "--mantine-color-error": "#ff8787",
    "--octavo-ground": mantine.colors.dark[8],
    "--octavo-panel": mantine.colors.dark[7],
    "--octavo-line": mantine.colors.dark[5],
    "--octavo-hover": mantine.colors.dark[6],
    "--octavo-chosen": "#232b4a",
    "--octavo-accent": "#9db0ff",
  },
});
