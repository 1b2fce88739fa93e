import type { Claim } from "../../../idempotency.ts";
import type { Sql } from "../../sql.ts";
import { lostConnection, Postgres, type PostgresOptions, refuse } from "./connection.ts";

/** Holds the named lock on a connection of its own while the work runs; the lock of a node that dies is released. */
export async function alone(options: PostgresOptions, name: string, work: () => Promise<void>): Promise<boolean> {
  const postgres = await Postgres.connect(options).catch(refuse);
  try {
    const [isOurs] = (await postgres.row("SELECT pg_try_advisory_lock(hashtextextended(?1, 0))::int", name)) ?? [0];
    if (isOurs === 1) await work();
    // Then another process may have held the lock meanwhile.
    if (postgres.isLost) refuse(lostConnection());
    return isOurs === 1;
  } finally {
    await postgres.close();
  }
}

/** Apart from the locks of `alone`, whose hashes have another seed. */
const claimSeed = 1;

/**
 * Takes the name for this process on its connection for short reads, undefined while another process has it. When that
 * connection is lost, the claim is, too: what is claimed must also hold without it.
 */
export async function claim(link: Sql, name: string): Promise<Claim | undefined> {
  const lock = (call: string) => link.row(`SELECT ${call}(hashtextextended(?1, ${claimSeed}))::int`, name);
  const [isOurs] = (await lock("pg_try_advisory_lock")) ?? [0];
  if (isOurs !== 1) return undefined;
  return async () => {
    // A connection that is lost has released it.
    await Promise.resolve(lock("pg_advisory_unlock")).catch(() => undefined);
  };
}
