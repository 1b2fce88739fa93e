import { lostConnection, Postgres, type PostgresOptions, refuse } from "./connection.ts";

/** Holds a lock of the name on a connection of its own while the work goes on; a node that dies lets go of it. */
export async function alone(options: PostgresOptions, name: string, work: () => Promise<void>): Promise<boolean> {
  const postgres = await Postgres.connect(options).catch(refuse);
  try {
    const [isOurs] = (await postgres.row("SELECT pg_try_advisory_lock(hashtextextended(?1, 0))::int", name)) ?? [0];
    if (isOurs === 1) await work();
    // Then somebody else may have had it meanwhile.
    if (postgres.isLost) refuse(lostConnection());
    return isOurs === 1;
  } finally {
    await postgres.close();
  }
}
