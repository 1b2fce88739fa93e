import { randomUUID } from "node:crypto";
import { clockSlackSeconds } from "../../clock.ts";
import { type Finding, findingsOf } from "../../finding.ts";
import { Bucket, type BucketOptions, bodyOf, drain } from "./bucket.ts";
import { BucketError } from "./bucket-error.ts";

/** What `octavo doctor` says about the bucket, after a write, a read, a list and a delete of one small object there. */

const { ok, fault } = findingsOf("bucket");

export async function bucketFindings(options: BucketOptions): Promise<Finding[]> {
  const bucket = new Bucket({ ...options, tries: 1 });
  const key = `doctor/${randomUUID()}`;
  const bytes = Buffer.from(key);
  let step: Step = "reached";
  try {
    const date = await bucket.ask({ method: "HEAD" }, async (response) => {
      await drain(response);
      return response.headers.date;
    });
    step = "written to";
    await bucket.put(key, bodyOf(bytes));
    step = "read";
    if (!(await bucket.read(key))?.equals(bytes)) return [fault("the bucket answers other bytes than were written")];
    step = "listed";
    const listed = await Array.fromAsync(bucket.list(key));
    if (listed.length !== 1) return [fault("the bucket does not list what was written: check s3_prefix")];
    step = "deleted from";
    await bucket.remove(key);
    if ((await bucket.head(key)) !== undefined)
      return [fault("the bucket keeps what is deleted: lift its object lock")];
    return [clockFault(date) ?? ok(`${options.bucket} takes, gives, lists and deletes an object`)];
  } catch (error) {
    if (!(error instanceof BucketError)) throw error;
    return [
      fault(
        `${options.bucket} at ${options.endpoint} cannot be ${step} (${reasonOf(error)}): ${remedyOf(error, step)}`,
      ),
    ];
  } finally {
    // What was written and could not be read or listed.
    if (step === "read" || step === "listed") await bucket.remove(key).catch(() => undefined);
    bucket.close();
  }
}

type Step = "reached" | "written to" | "read" | "listed" | "deleted from";

function clockFault(date: string | undefined): Finding | undefined {
  const ahead = Math.round((Date.now() - Date.parse(date ?? "")) / 1000);
  if (!(Math.abs(ahead) > clockSlackSeconds)) return undefined;
  return fault(
    `the clock differs from the bucket's by ${Math.abs(ahead)} seconds; past 15 minutes it refuses: run NTP`,
  );
}

const reasonOf = ({ status, code, message }: BucketError): string =>
  status === 0 ? code || message : `${status} ${code}`.trim();

/** The response to HEAD has a status and no code. */
function remedyOf({ status, code }: BucketError, step: Step): string {
  const known = remedies[code];
  if (known) return known;
  if (status === 0) return "check s3_endpoint, and that this machine may connect there";
  if (status === 301 || status === 400) return "check s3_region, s3_path_style and the keys";
  if (status === 403 && step === "reached")
    return "check s3_access_key and s3_secret_key, and their rights to the bucket";
  if (status === 403) return "give the key the rights to put, get, delete and list objects";
  if (status === 404) return "make the bucket, or name the right one in s3_bucket";
  return "look into the log of the object storage";
}

const remedies: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there: check s3_endpoint",
  ENOTFOUND: "the host name is not known: check s3_endpoint and s3_path_style",
  ETIMEDOUT: "it does not answer in time: check s3_endpoint and the network",
  NoSuchBucket: "make the bucket, or name the right one in s3_bucket",
  InvalidAccessKeyId: "check s3_access_key",
  SignatureDoesNotMatch: "check s3_secret_key",
  RequestTimeTooSkewed: "the clock of this machine is wrong: run NTP",
};
