import { join, resolve } from "node:path";
import { bucketOptions } from "../bucket-options.ts";
import { type Finding, findingsOf } from "../core/finding.ts";
import { isLoopback } from "../core/lib/host.ts";
import type { MoreFindings } from "../core/sql/migration.ts";
import { nowSeconds } from "../service.ts";
import type { Settings } from "../settings.ts";
import { askHealth, ownUrl, silenceOf } from "./probe-service.ts";

/** What `octavo doctor` looks at: the parts that the settings name. Creates and migrates nothing. */

/** Everything found, in the order in which one repairs it. A part that cannot be looked at is a fault of its own. */
export async function examine(settings: Settings): Promise<Finding[]> {
  return [
    ...(await folderFindings(settings)),
    ...(await databaseFindings(settings)),
    ...(await bucketFindings(settings)),
    ...(await addressFindings(settings)),
    ...proxyFindings(settings),
  ];
}

async function folderFindings({ data: folder, postgresUrl }: Settings): Promise<Finding[]> {
  const { dataFolderFindings } = await import("../core/bytes/disk/data-folder-check.ts");
  return dataFolderFindings({ folder, needsLocks: !postgresUrl }).catch((error: Error) => [
    findingsOf("folder").fault(`${resolve(folder)} cannot be looked at: ${error.message}`),
  ]);
}

async function databaseFindings(settings: Settings): Promise<Finding[]> {
  const { data: folder, busyTimeoutMs, postgresUrl: url, postgresReadUrl: readUrl } = settings;
  const { unreadFindings } = await import("../translation/doctor-store.ts");
  const more: MoreFindings = (sql) => unreadFindings(sql, settings.locales);
  if (!url) {
    const { sqliteFindings } = await import("../core/sql/engine/sqlite/doctor.ts");
    return sqliteFindings({ folder, busyTimeoutMs }, join(folder, "blobs"), nowSeconds(), more);
  }
  const { postgresFindings } = await import("../core/sql/engine/postgres/doctor.ts");
  const statementMs = settings.postgresTimeoutSeconds * 1000;
  return postgresFindings({ url, readUrl, statementMs, maxConnections: settings.postgresConnections }, more);
}

async function bucketFindings(settings: Settings): Promise<Finding[]> {
  const options = bucketOptions(settings);
  if (!options) return [];
  const { bucketFindings } = await import("../core/bytes/s3/doctor.ts");
  return bucketFindings(options);
}

const askMs = 5000;

/** Whether the service, something else or nothing answers on its port, and whether the public address leads to it. */
async function addressFindings(settings: Settings): Promise<Finding[]> {
  const { ok, warning, fault } = findingsOf("address");
  const url = ownUrl(settings);
  if (url === undefined) return [ok("port is 0: the service takes any free one")];
  try {
    const live = await askHealth(`${url}/health/live`, askMs);
    if (!live.isOwn) return [fault(`another program answers at ${url} (${live.reason}): stop it, or change port`)];
  } catch (error) {
    const said = silenceOf(error);
    const isFree = said === "nothing listens there";
    return [
      isFree
        ? ok(`${url} is free: the service does not run`)
        : fault(`${url} cannot be asked (${said}): check host and port`),
    ];
  }
  const ready = await askHealth(`${url}/health/ready`, askMs).catch((error: unknown) => ({
    isWell: false,
    reason: silenceOf(error),
  }));
  const here = ready.isWell
    ? ok(`the service answers at ${url} and is ready`)
    : warning(`the service answers at ${url} and is not ready: ${ready.reason}`);
  return settings.publicUrl === undefined ? [here] : [here, await publicFinding(settings.publicUrl)];
}

async function publicFinding(url: string): Promise<Finding> {
  const { ok, warning } = findingsOf("address");
  const said = await askHealth(`${url}/health/live`, askMs).then(
    ({ isWell, reason }) => (isWell ? undefined : reason),
    silenceOf,
  );
  if (said === undefined) return ok(`${url} leads to a service, from here`);
  return warning(`${url} does not lead to the service, from here (${said}): check the proxy, DNS and public_url`);
}

/** What the settings say about a proxy: whether it is named, and whether others could pass for it. */
function proxyFindings({ host, publicUrl, trustProxy, metricsHost, metricsPort }: Settings): Finding[] {
  const { ok, warning, fault } = findingsOf("proxy");
  const found: Finding[] = [];
  const isLocal = (name: string): boolean => isLoopback(name) || name === "::1";
  const { protocol = "http:", hostname = "localhost" } = publicUrl === undefined ? {} : new URL(publicUrl);
  const open = trustProxy.filter((block) => /\/0+$/.test(block));
  if (open.length > 0) {
    found.push(
      fault(`trust_proxy is ${open.join(",")}, everybody: any client can name any address; list the proxies alone`),
    );
  }
  if (publicUrl === undefined && trustProxy.length > 0)
    found.push(warning("trust_proxy names a proxy, public_url is not set: set it to the address that browsers use"));
  if (publicUrl === undefined && trustProxy.length === 0 && !isLocal(host))
    found.push(
      warning(`host ${host} can be reached from elsewhere, without TLS: put a proxy in front, set public_url`),
    );
  if (protocol === "http:" && !isLoopback(hostname))
    found.push(warning(`${publicUrl} has no TLS: tokens are sent in the clear, and passkeys need https`));
  if (protocol === "https:" && trustProxy.length === 0) {
    found.push(
      fault(
        "public_url is https, so a proxy is in front, and trust_proxy does not name it: every client has its address, " +
          "and is limited as one; set trust_proxy to the proxy's address, and let it set X-Forwarded-For and -Proto",
      ),
    );
  }
  if (metricsPort > 0 && !isLocal(metricsHost))
    found.push(warning(`metrics_host ${metricsHost} lets whoever reaches port ${metricsPort} read the metrics`));
  if (found.length > 0) return found;
  if (publicUrl === undefined) return [ok("no proxy is set, and only this machine reaches the service")];
  return [ok(`public_url is ${publicUrl}, and X-Forwarded-* counts from ${trustProxy.join(", ") || "nobody"}`)];
}
