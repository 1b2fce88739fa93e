// Starts the viewer of the API reference: everything of it that would talk to another host is off.
window.Scalar.createApiReference("#reference", {
  url: "/api/openapi.json",
  telemetry: false,
  withDefaultFonts: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: "never",
  hideClientButton: true,
  documentDownloadType: "json",
  favicon: "/docs/mark.svg",
  hideModels: true,
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
  orderRequiredPropertiesFirst: true,
  customCss: `
    .light-mode { --scalar-color-accent: #3549b9; --scalar-background-accent: #e9edff; --scalar-link-color: #3549b9; }
    .dark-mode { --scalar-color-accent: #9db0ff; --scalar-background-accent: #232b4a; --scalar-link-color: #9db0ff; }
    :root {
      --scalar-font: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", Ubuntu, sans-serif;
      --scalar-font-code: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
    }
  `,
});
