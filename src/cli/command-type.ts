import type { Readable, Writable } from "node:stream";

/** One command: its arguments, its work, its help. */
export type Command = {
  /** As the user types it: `token create`. */
  name: string;
  summary: string;
  /** Sentences that add to the summary. */
  details?: string;
  /** Its positional arguments, by the names that the help shows; one in brackets is optional, one with dots several. */
  takes: readonly string[];
  options: Readonly<Record<string, Option>>;
  examples: readonly string[];
  /** Rejects with UsageError (exit code 2), or with anything else (1). */
  run(call: CommandCall): Promise<void>;
};

/** A flag of one command. `value` is the placeholder of its value in the help; without it the flag is a switch. */
export type Option = { value?: string; help: string };

/**
 * What a command has of the process that runs it; `process` is one. Relative paths are below the working folder of the
 * process, whichever it is.
 */
export type Io = {
  env: Readonly<Record<string, string | undefined>>;
  stdin: Readable & { isTTY?: boolean };
  stdout: Writable & { isTTY?: boolean };
  stderr: Writable & { isTTY?: boolean };
};

/** A parsed command line. */
export type CommandCall = {
  io: Io;
  positionals: string[];
  options: Readonly<Record<string, string | undefined>>;
  switches: ReadonlySet<string>;
  /** The flags that are settings, and `config`. */
  settingFlags: Readonly<Record<string, string>>;
};
