import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "@mantine/spotlight/styles.css";
import "./style.css";
import "./shell.css";
import "./ui/ui.css";
import "./ui/code.css";
import { DirectionProvider, MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClientProvider } from "@tanstack/react-query";
import { setNonce } from "get-nonce";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { direction, language } from "./language/language.ts";
import { dropOld } from "./model/draft/kept.ts";
import { cssVariables, theme } from "./theme.ts";
import { Boundary } from "./ui/boundary.tsx";
import { leaveKeysToInputMethods } from "./ui/composition.ts";
import { nonce } from "./ui/nonce.ts";
import { queries } from "./ui/query.ts";

setNonce(nonce);
document.documentElement.lang = language;
// A test turns the page round before.
document.documentElement.dir ||= direction;
leaveKeysToInputMethods();
dropOld(Date.now() / 1000);

// The browser would open a file that is dropped outside of a drop zone.
for (const type of ["dragover", "drop"] as const) {
  addEventListener(type, (event) => {
    if (event.defaultPrevented || !event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "none";
  });
}

createRoot(document.getElementById("root") as HTMLElement).render(
  <DirectionProvider initialDirection={document.dir === "rtl" ? "rtl" : "ltr"}>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queries}>
        <Notifications position="bottom-right" limit={5} containerWidth={380} />
        <Boundary of="page">
          <App />
        </Boundary>
      </QueryClientProvider>
    </MantineProvider>
  </DirectionProvider>,
);
