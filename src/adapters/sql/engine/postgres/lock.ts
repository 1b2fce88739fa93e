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
