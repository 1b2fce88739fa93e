import type { PixelSize, ReadAt } from "./read-at.ts";

/**
 * The size of the primary picture of an AVIF or HEIC file. ISO/IEC 23008-12: the box `pitm` names the primary item, the
 * list `ipma` assigns properties to each item, and the property `ispe` is the stored size. A grid, a crop and a
 * rotation are properties too; the size of a grid is that of the whole, the other two are not applied.
 */

/** A box without its header. */
type Box = { type: string; start: number; end: number };

// Real files have some dozens of properties; these bounds are for crafted files.
const maxBoxes = 2000;
const maxListBytes = 1024 * 1024;

/** Throws RangeError where the boxes are cut off. Without a primary item the largest size counts. */
export async function readHeifSize(read: ReadAt): Promise<PixelSize | undefined> {
  const meta = await findBox(read, 0, Number.MAX_SAFE_INTEGER, "meta");
  if (!meta) return undefined;
  const parts = await listBoxes(read, meta.start + 4, meta.end);
  const iprp = parts.find((box) => box.type === "iprp");
  if (!iprp) return undefined;
  const [ipco, ...lists] = await listBoxes(read, iprp.start, iprp.end);
  if (ipco?.type !== "ipco") return undefined;
  const sizes = await listSizes(read, ipco);
  const primary = await primaryItem(
    read,
    parts.find((box) => box.type === "pitm"),
  );
  for (const list of lists.filter((box) => box.type === "ipma")) {
    const found = (await propertiesOf(read, list, primary)).map((index) => sizes.get(index)).find(Boolean);
    if (found) return found;
  }
  return [...sizes.values()].sort((a, b) => b.width * b.height - a.width * a.height)[0];
}

/** The sizes among the properties, by their 1-based position in the list. */
async function listSizes(read: ReadAt, ipco: Box): Promise<Map<number, PixelSize>> {
  const sizes = new Map<number, PixelSize>();
  const properties = await listBoxes(read, ipco.start, ipco.end);
  for (const [index, property] of properties.entries()) {
    if (property.type !== "ispe") continue;
    const body = await read(property.start, 12);
    sizes.set(index + 1, { width: body.readUInt32BE(4), height: body.readUInt32BE(8) });
  }
  return sizes;
}

async function primaryItem(read: ReadAt, pitm: Box | undefined): Promise<number | undefined> {
  if (!pitm) return undefined;
  const body = await read(pitm.start, 8);
  return body.readUInt8(0) === 0 ? body.readUInt16BE(4) : body.readUInt32BE(4);
}

/** The property positions of an item. The top bit of each only marks the property as essential. */
async function propertiesOf(read: ReadAt, ipma: Box, item: number | undefined): Promise<number[]> {
  const body = await read(ipma.start, Math.min(ipma.end - ipma.start, maxListBytes));
  const idBytes = body.readUInt8(0) === 0 ? 2 : 4;
  const isWide = (body.readUInt8(3) & 1) === 1;
  let at = 8;
  for (let left = body.readUInt32BE(4); left > 0; left--) {
    const id = body.readUIntBE(at, idBytes);
    const count = body.readUInt8(at + idBytes);
    at += idBytes + 1;
    if (id === item) return Array.from({ length: count }, (_, i) => propertyAt(body, at, i, isWide));
    at += count * (isWide ? 2 : 1);
  }
  return [];
}

const propertyAt = (body: Buffer, at: number, index: number, isWide: boolean): number =>
  isWide ? body.readUInt16BE(at + 2 * index) & 0x7fff : body.readUInt8(at + index) & 0x7f;

async function findBox(read: ReadAt, from: number, to: number, type: string): Promise<Box | undefined> {
  for await (const box of boxes(read, from, to)) if (box.type === type) return box;
  return undefined;
}

const listBoxes = (read: ReadAt, from: number, to: number): Promise<Box[]> => Array.fromAsync(boxes(read, from, to));

/** The sibling boxes in a range of the file, up to its end or to the first unreadable box. */
async function* boxes(read: ReadAt, from: number, to: number): AsyncGenerator<Box> {
  let at = from;
  for (let count = 0; count < maxBoxes && at + 8 <= to; count++) {
    const head = await read(at, 16);
    if (head.length < 8) return;
    const size = head.readUInt32BE(0);
    // 1: the size follows in 64 bits. 0: the box extends to the end.
    const headerBytes = size === 1 ? 16 : 8;
    const end = size === 0 ? to : at + (size === 1 ? Number(head.readBigUInt64BE(8)) : size);
    if (end < at + headerBytes || end > to) return;
    yield { type: head.toString("latin1", 4, 8), start: at + headerBytes, end };
    at = end;
  }
}
