import { openPostgresStore } from "../../src/adapters/sql/postgres-store.ts";
import { entryStoreSuite } from "./entry-store.suite.ts";
import { fileStoreSuite } from "./file-store.suite.ts";
import { postgresOptions } from "./postgres-options.ts";
import { tokenStoreSuite } from "./token-store.suite.ts";
import { openUploadsOnPostgres } from "./uploads.ts";

entryStoreSuite("PostgreSQL", async () => openPostgresStore(await postgresOptions()));

fileStoreSuite("PostgreSQL", () => openUploadsOnPostgres());

const shared = postgresOptions();
const openShared = async () => openPostgresStore(await shared);
// Contract §2: a revocation is known to every node within two seconds.
tokenStoreSuite("PostgreSQL", openShared, openShared, 2000);
