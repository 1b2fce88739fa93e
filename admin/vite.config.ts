import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** Builds the admin page into dist/, which src/page/admin-routes.ts serves; `vite` alone serves it beside a running Octavo. */
// biome-ignore lint/style/noDefaultExport: Vite reads the default export.
export default defineConfig({
  base: "/admin/",
  plugins: [react()],
  // Each reply puts a nonce of its own in its place: the page's policy trusts nothing else.
  html: { cspNonce: "octavo-nonce" },
  build: {
    target: "es2023",
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    // Data addresses would be strangers to the policy, and files are kept for ever anyway.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    // What first loads is about that; decision 16 has its weight as sent.
    chunkSizeWarningLimit: 1000,
    modulePreload: { polyfill: false },
    // The catalogue is awaited at the top of a module, before which Rolldown merges no chunks by itself.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: "start", tags: ["$initial"] }] } } },
  },
  server: { proxy: { "^/(api|project|health|docs)/|^/admin/session": "http://127.0.0.1:8080" } },
});
