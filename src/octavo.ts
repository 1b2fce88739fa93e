#!/usr/bin/env node
import { prepareCommand, restartTuned } from "./cli/runtime.ts";

/** The command `octavo`: main.ts with a cache of compiled code, for `serve` in a process whose memory is bounded. Loads nothing before that. */

if (process.argv[2] === "serve") restartTuned();
else prepareCommand();
await import("./main.ts");
