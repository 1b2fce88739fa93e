#!/usr/bin/env node
import { main } from "./cli/main.ts";

/** The process of a command: its words, its streams, its exit code. */

// `octavo token list | head -1` closes the pipe early; that is not an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

const code = await main(process.argv.slice(2), process);
// A worker that ended meanwhile may have set it.
if (code !== 0) process.exitCode = code;
