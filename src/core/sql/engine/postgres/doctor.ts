import { clockFinding } from "../../../clock.ts";
import { type Finding, findingsOf } from "../../../finding.ts";
import { clockFacts } from "../../event.ts";
import { type MoreFindings, schemaAdvice } from "../../migration.ts";
import { findNumber, numberOf } from "../../sql.ts";
import { codeOf, oldestServer, Postgres, type PostgresOptions } from "./connection.ts";

/** What `octavo doctor` says about the database server. Reads only: it neither lays out nor migrates the schema. */

const { ok, warning, fault } = findingsOf("database");

type PostgresPlace = PostgresOptions & {
  /** The address of the replica; empty for none. */
  readUrl: string;
  /** Connections for collections, of one node. */
  maxConnections: number;
};

export async function postgresFindings(
  options: PostgresPlace,
  more: MoreFindings = async () => [],
): Promise<Finding[]> {
  let key: string | undefined;
  const found = await asked(options, "postgres_url", async (postgres) => {
    key = await signingKey(postgres);
    return serverFindings(postgres, options, more);
  });
  if (options.readUrl === "") return found;
  const replica = { ...options, url: options.readUrl };
  return [...found, ...(await asked(replica, "postgres_read_url", (postgres) => replicaFindings(postgres, key)))];
}

/** Connects, asks, and closes; what fails is a fault with what to do. */
async function asked(
  options: PostgresOptions,
  setting: string,
  ask: (postgres: Postgres) => Promise<Finding[]>,
): Promise<Finding[]> {
  let postgres: Postgres | undefined;
  try {
    postgres = await Postgres.connect(options);
    return await ask(postgres);
  } catch (error) {
    const { message } = error as Error;
    const code = codeOf(error);
    return [fault(`PostgreSQL cannot be used (${message || code}): ${remedyOf(code, message, setting)}`)];
  } finally {
    await postgres?.close();
  }
}

const remedies: Readonly<Record<string, string>> = {
  ECONNREFUSED: "start the server, or name the right host and port in",
  ENOTFOUND: "the host name is not known: name the right one in",
  EAI_AGAIN: "the host name cannot be looked up: check the name service, or",
  "28P01": "the password or the user is wrong in",
  "28000": "the server does not let this user in from here: see pg_hba.conf, and",
  "3D000": "make the database (createdb -E UTF8 -T template0), or name the right one in",
  "53300": "the server has no connection left: raise max_connections, or lower postgres_connections; see",
  "57P03": "the server is starting: try again, and check",
};

function remedyOf(code: string, message: string, setting: string): string {
  if (/startup parameter|prepared statement/.test(message)) {
    return `connect to the server itself, not to a pooler, in ${setting}`;
  }
  return `${remedies[code] ?? "check"} ${setting}`;
}

/** Besides those for collections: reads, writes, notifications. */
const moreConnections = 3;

async function serverFindings(
  postgres: Postgres,
  { maxConnections }: PostgresPlace,
  more: MoreFindings,
): Promise<Finding[]> {
  const names = ["server_version", "server_version_num", "server_encoding", "transaction_read_only", "max_connections"];
  const others = ["superuser_reserved_connections", "synchronous_commit", "fsync", "full_page_writes"];
  const columns = [...names, ...others].map((name) => `current_setting('${name}')`).join(", ");
  const row = (await postgres.row(`SELECT ${columns}`)) as string[];
  const [version = "", number, encoding, isReadOnly, connections, reserved, commit, fsync, pages] = row;
  const found: Finding[] = [];
  if (Number(number) < oldestServer) found.push(fault(`PostgreSQL 14 or newer is needed; the server is ${version}`));
  if (encoding !== "UTF8")
    found.push(fault(`the database is encoded in ${encoding}: make it anew with createdb -E UTF8 -T template0`));
  if (isReadOnly === "on")
    found.push(fault("the server is read-only, as a standby is: name the primary in postgres_url"));
  const own = maxConnections + moreConnections;
  const free = Number(connections) - Number(reserved);
  if (free < own)
    found.push(fault(`max_connections leaves ${free}, a node takes ${own}: raise it, or lower postgres_connections`));
  if (fsync !== "on" || pages !== "on")
    found.push(fault("fsync or full_page_writes is off: a power failure damages the database; switch both on"));
  if (commit === "off")
    found.push(
      fault("synchronous_commit is off: a crash of the server loses writes that were confirmed; set it to on"),
    );
  const ofSchema = await schemaFindings(postgres);
  found.push(...ofSchema);
  if (found.length === 0) {
    const nodes = Math.floor(free / own);
    found.push(ok(`PostgreSQL ${version}, UTF8, schema as this program knows it, connections for ${nodes} nodes`));
  }
  const further = ofSchema.length === 0 ? await more(postgres) : [];
  return [...found, ...further, ...(await clockFindings(postgres))];
}

/** A table of the schema that no extension brought. */
const otherTable =
  "SELECT c.relname FROM pg_class c WHERE c.relkind IN ('r', 'p') AND c.relnamespace = current_schema()::regnamespace" +
  " AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e') ORDER BY c.relname LIMIT 1";

const hasTable = async (postgres: Postgres, name: string): Promise<boolean> =>
  (await numberOf(
    postgres,
    "SELECT count(*) FROM pg_tables WHERE tablename = ?1 AND schemaname = current_schema()",
    name,
  )) > 0;

async function schemaFindings(postgres: Postgres): Promise<Finding[]> {
  const mayCreate = "SELECT count(*) WHERE has_schema_privilege(current_schema(), 'CREATE')";
  if ((await numberOf(postgres, mayCreate)) === 0) {
    return [fault("this role may not create tables: make it the owner (ALTER DATABASE … OWNER TO …)")];
  }
  if (!(await hasTable(postgres, "schema_version"))) {
    const other = (await postgres.row(otherTable))?.[0];
    if (other === undefined) return [warning("the database is empty: the first start lays it out")];
    return [fault(`the database has tables of another program, as "${other}": name one of its own in postgres_url`)];
  }
  const advice = schemaAdvice(await numberOf(postgres, "SELECT coalesce(max(version), 0) FROM schema_version"));
  return advice ? [{ check: "database", ...advice }] : [];
}

async function clockFindings(postgres: Postgres): Promise<Finding[]> {
  const beforeMs = Date.now();
  const server = (await findNumber(postgres, "SELECT extract(epoch FROM clock_timestamp())::float8")) ?? 0;
  const nowMs = (beforeMs + Date.now()) / 2;
  const hasLog = await hasTable(postgres, "event");
  const facts = hasLog ? await clockFacts(postgres, Math.floor(nowMs / 1000)) : { behindSeconds: 0, futureEntries: 0 };
  return [clockFinding(facts, nowMs / 1000 - server)];
}

const signingKey = async (postgres: Postgres): Promise<string | undefined> =>
  (await hasTable(postgres, "store_state"))
    ? ((await postgres.row("SELECT value FROM store_state WHERE name = 'signing_key'"))?.[0] as string)
    : undefined;

async function replicaFindings(postgres: Postgres, key: string | undefined): Promise<Finding[]> {
  if ((await signingKey(postgres)) !== key) {
    return [fault("the replica has another store than the primary: name a replica of it in postgres_read_url")];
  }
  const lag = "SELECT coalesce(extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp()), 0)::float8";
  const seconds = (await findNumber(postgres, lag)) ?? 0;
  return [ok(`the replica has the same store; its last write is ${Math.round(seconds)} seconds old`)];
}
