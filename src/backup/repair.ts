import type { BlobLedger, BlobStore, FaultyBlob } from "../core/bytes/blob.ts";

/** Bytes that may be those of a faulty blob; `from` names their location for the operator. */
export type Candidate = { from: string; bytes: AsyncIterable<Uint8Array> };

/**
 * A place to search for good copies. Yields candidates for the wanted blobs (by hash); repaired ones are removed from
 * the map.
 */
export type CandidateSource = (wanted: ReadonlyMap<string, FaultyBlob>) => AsyncIterable<Candidate>;

export type Repaired = FaultyBlob & { from: string };

export type OnRepair = {
  onRepaired(repaired: Repaired): void;
  /** Called for a candidate that cannot be read; the search continues. */
  onUnusable(from: string, error: unknown): void;
};

type RepairStores = { ledger: BlobLedger; blobs: BlobStore };

/**
 * Repairs blobs from candidates whose SHA-256 is that of a wanted blob. Safe while a service is running. Afterwards
 * `wanted` holds the blobs that were not repaired. Throws what the source throws between two candidates.
 */
export async function repairBlobs(
  stores: RepairStores,
  wanted: Map<string, FaultyBlob>,
  source: CandidateSource,
  nowSeconds: number,
  { onRepaired, onUnusable }: OnRepair,
): Promise<void> {
  if (wanted.size === 0) return;
  for await (const candidate of source(wanted)) {
    try {
      const repaired = await tryCandidate(stores, wanted, candidate, nowSeconds);
      if (repaired) onRepaired(repaired);
    } catch (error) {
      onUnusable(candidate.from, error);
    }
    if (wanted.size === 0) return;
  }
}

async function tryCandidate(
  { ledger, blobs }: RepairStores,
  wanted: Map<string, FaultyBlob>,
  { from, bytes }: Candidate,
  nowSeconds: number,
): Promise<Repaired | undefined> {
  const staged = await blobs.stage(bytes, Number.POSITIVE_INFINITY);
  try {
    const faulty = wanted.get(staged.hash);
    if (!faulty) return undefined;
    // As in an upload: the row protects the bytes from a concurrent sweep.
    await ledger.keep(staged.hash, staged.size, nowSeconds);
    await blobs.put(staged);
    wanted.delete(staged.hash);
    return { ...faulty, from };
  } finally {
    await staged.discard();
  }
}
