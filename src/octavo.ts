#!/usr/bin/env node
import { isService, isTuned, prepareCommand, restartTuned } from "./cli/runtime.ts";

/**
 * The command `octavo`: main.ts with a cache of compiled code, for what holds much in a process whose memory is bounded.
 * Loads nothing before that.
 */

const [, , name] = process.argv;
if (isTuned(name)) restartTuned();
if (!isService(name)) prepareCommand();
await import("./main.ts");
