import { isProblem, Problem } from "../core/problem.ts";
import { StoreError } from "../core/store-error.ts";
import { Refusal } from "./refusal.ts";

/**
 * A failure that the operator can fix, in one line: a port in use, a store that cannot be opened, a refusal from the
 * catalogue. Anything else is a bug and is shown with its stack.
 */
export function explainFailure(error: unknown): string {
  if (isProblem(error, "store_damaged")) return explainDamage(error);
  if (error instanceof Problem && error.code !== "internal") return withCause(error);
  if (error instanceof StoreError) return error.message;
  const { code = "", syscall, errstr, message } = error as NodeJS.ErrnoException & { errstr?: string };
  // A worker's port is bound by the first process.
  if (syscall === "listen" || syscall === "bind" || syscall === "getaddrinfo")
    return explainListen(error as ListenError);
  if (code === "ERR_SQLITE_ERROR") return `the store cannot be used: ${errstr ?? message}; check the folder of --data`;
  const said = fileFailures[code];
  if (said) return `${(error as NodeJS.ErrnoException).path ?? "a file"} cannot be used: ${said}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** The code of a refusal from the catalogue, for programs; other failures have none. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Problem || error instanceof Refusal ? error.code : undefined;

const fileFailures: Record<string, string> = {
  EACCES: "this user may not; choose another folder with --data, or change its owner",
  EPERM: "this user may not; choose another folder with --data, or change its owner",
  ENOENT: "no folder can be made there; choose another with --data",
  EROFS: "the file system is read-only; choose another folder with --data",
  ENOSPC: "the disk is full",
  EDQUOT: "the quota is full",
  ENOTDIR: "a part of this path is a file; expected a folder",
  EEXIST: "it is a file; expected a folder",
  EMFILE: "too many files are open",
};

type ListenError = NodeJS.ErrnoException & { address?: string; port?: number; hostname?: string };

function explainListen({ code, address, port, hostname, message }: ListenError): string {
  switch (code) {
    case "EADDRINUSE":
      return `port ${port} of ${address} is in use; choose another with --port, or stop what uses it`;
    case "EACCES":
      return `port ${port} of ${address} may not be used by this user; choose one from 1024 with --port`;
    case "EADDRNOTAVAIL":
      return `${address} is no address of this machine; choose another with --host`;
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `the host name ${hostname} is not known; choose another with --host`;
    default:
      return message;
  }
}

/** The message is for the operator, so it must not tell them to ask the operator. */
function explainDamage({ cause }: Problem): string {
  const said = cause instanceof Error ? ` (${cause.message})` : "";
  return `the database is damaged${said}: octavo verify lists the damage, docs/operations.md has the steps; writes are refused`;
}

function withCause({ message, cause }: Problem): string {
  return cause instanceof Error ? `${message} (${cause.message})` : message;
}
