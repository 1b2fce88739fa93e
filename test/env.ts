/**
 * Takes the octavo of whoever runs the tests out of this process and of all that it starts: settings in the environment
 * and in an octavo.json. Every file that starts a service or a command imports it, most through the harness.
 */
import { fileURLToPath } from "node:url";

/** How long tests run and against what, and where a browser is. */
const ofTests = /^OCTAVO_(TEST_\w+|CHROMIUM)$/;

for (const name of Object.keys(process.env))
  if (name.toUpperCase().startsWith("OCTAVO_") && !ofTests.test(name)) delete process.env[name];
process.env.OCTAVO_CONFIG = fileURLToPath(new URL("fixtures/no-settings.json", import.meta.url));
