#!/usr/bin/env node
import { restartTuned } from "./cli/runtime.ts";

/** The command `octavo`: main.ts, for `serve` in a process whose memory is bounded. Loads nothing before that. */

if (process.argv[2] === "serve") restartTuned();
await import("./main.ts");
