/** A longer array with what the shorter one has. */
export function grown<T extends Float64Array | Int32Array | Uint32Array | Uint8Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
