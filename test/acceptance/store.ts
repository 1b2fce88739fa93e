/** The stores of a service under test, besides its folder. */
import { AwsClient } from "aws4fetch";
import { createDatabase } from "../postgres.ts";

export type Store = {
  /** The settings that make the service use it. */
  env: Record<string, string>;
  /** Whether `dirname` is a directory that holds the files. */
  hasUploadsTree: boolean;
  stop(): Promise<void>;
};

export const stores = {
  disk: async (): Promise<Store> => ({ env: {}, hasUploadsTree: true, stop: async () => undefined }),
  workers: async (): Promise<Store> => ({ ...(await stores.disk()), env: { OCTAVO_WORKERS: "2" } }),
  s3: startBucket,
  postgres: startDatabase,
  /** The stores that several nodes share. */
  cloud: async (): Promise<Store> => {
    const [rows, bytes] = [await startDatabase(), await startBucket()];
    return { ...bytes, env: { ...rows.env, ...bytes.env } };
  },
};
export type StoreName = keyof typeof stores;

/** A new database, on the server of TEST_POSTGRES_URL or on one that ends with this process. */
async function startDatabase(): Promise<Store> {
  const url = await createDatabase();
  return { env: { OCTAVO_POSTGRES_URL: url }, hasUploadsTree: true, stop: async () => undefined };
}

type S3Server = { endpoint: string; accessKey: string; secretKey: string; stop(): Promise<unknown> };

/** A new bucket, on the server of OCTAVO_TEST_S3 or on a new one. */
async function startBucket(): Promise<Store> {
  const { endpoint, accessKey, secretKey, stop } = await startS3();
  const bucket = `octavo-${crypto.randomUUID()}`;
  const client = new AwsClient({ accessKeyId: accessKey, secretAccessKey: secretKey, service: "s3" });
  const made = await client.fetch(`${endpoint}/${bucket}`, { method: "PUT" });
  if (!made.ok) throw new Error(`the bucket could not be made: ${await made.text()}`);
  const env = {
    OCTAVO_S3_ENDPOINT: endpoint,
    OCTAVO_S3_BUCKET: bucket,
    OCTAVO_S3_ACCESS_KEY: accessKey,
    OCTAVO_S3_SECRET_KEY: secretKey,
    OCTAVO_RENDITIONS_STORE: "s3",
  };
  return { env, hasUploadsTree: false, stop: async () => void (await stop()) };
}

async function startS3(): Promise<S3Server> {
  const { OCTAVO_TEST_S3: given } = process.env;
  if (given) return { ...JSON.parse(given), stop: async () => undefined };
  const { startFauxqs } = await import("fauxqs");
  const server = await startFauxqs({ port: 0, host: "127.0.0.1", logger: false });
  const endpoint = `http://127.0.0.1:${server.port}`;
  return { endpoint, accessKey: "test", secretKey: "test-secret", stop: () => server.stop() };
}
