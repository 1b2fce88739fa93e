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
    /* At least 4.5 to 1 on every ground. */
    .light-mode {
      --scalar-color-2: #5c5c5c; --scalar-color-3: #6b6b6b; --scalar-sidebar-search-color: #6b6b6b;
      --scalar-color-blue: #00629e; --scalar-color-green: #04703f; --scalar-color-orange: #9a4a00; --scalar-color-red: #c2141b;
      --scalar-color-yellow: #7a5a00;
    }
    .dark-mode { --scalar-color-3: #939393; --scalar-sidebar-search-color: #939393; --scalar-color-red: #ff6b6b; }
    :root {
      --scalar-font: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", Ubuntu, sans-serif;
      --scalar-font-code: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
    }
  `,
});
