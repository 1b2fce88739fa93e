import type { BlobLedger, BlobStore, FaultyBlob } from "./blob.ts";

/** Bytes that may be those of a blob which is lost; `from` says where they were found, for the operator. */
export type Candidate = { from: string; bytes: AsyncIterable<Uint8Array> };

/**
 * Where good copies may lie. Yields what may be one of the blobs that are wanted, by hash; one that was taken in goes from
 * them while this goes on.
 */
export type CandidateSource = (wanted: ReadonlyMap<string, FaultyBlob>) => AsyncIterable<Candidate>;

export type Repaired = FaultyBlob & { from: string };

export type OnRepair = {
  onRepaired(repaired: Repaired): void;
  /** Hears of a candidate that cannot be read; the others are tried. */
  onUnusable(from: string, error: unknown): void;
};

type RepairStores = { ledger: BlobLedger; blobs: BlobStore };

/**
 * Puts blobs right from what good copies there are: what a candidate is worth its hash says. Safe beside a running
 * service. `wanted` holds afterwards what was not repaired. Throws what the source throws between two candidates.
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
    // As an upload does: a sweep that comes between the two takes neither.
    await ledger.keep(staged.hash, staged.size, nowSeconds);
    await blobs.put(staged);
    wanted.delete(staged.hash);
    return { ...faulty, from };
  } finally {
    await staged.discard();
  }
}
