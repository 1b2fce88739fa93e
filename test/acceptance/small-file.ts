/** The smallest real file of each type; PNG and SVG are in media.ts. Pictures are of 4 by 3 pixels. */
import { gzipSync } from "node:zlib";

const latin1 = (text: string): Buffer => Buffer.from(text, "latin1");
const base64 = (text: string): Buffer => Buffer.from(text, "base64");
const jpegColour = base64(
  "/9j/2wBDABsSFBcUERsXFhceHBsgKEIrKCUlKFE6PTBCYFVlZF9VXVtqeJmBanGQc1tdhbWGkJ6jq62rZ4C8ybqmx5moq6T/2wBDARweHigjKE4rK06kbl1upKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKT/wAARCAADAAQDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAT/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFQEBAQAAAAAAAAAAAAAAAAAABAX/xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oADAMBAAIRAxEAPwCYAJVf/9k=",
);
const jpegGrey = base64(
  "/9j/2wBDABsSFBcUERsXFhceHBsgKEIrKCUlKFE6PTBCYFVlZF9VXVtqeJmBanGQc1tdhbWGkJ6jq62rZ4C8ybqmx5moq6T/wAALCAADAAQBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAA//EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AJ//Z",
);

/** With an orientation it has EXIF that says so. */
export function jpeg({
  kind = "colour",
  orientation,
}: {
  kind?: "grey" | "colour";
  orientation?: number;
} = {}): Buffer {
  const plain = kind === "grey" ? jpegGrey : jpegColour;
  if (orientation === undefined) return Buffer.from(plain);
  const exif = Buffer.from("Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\0\0\0\0\0\0\0", "latin1");
  exif.writeUInt16BE(orientation, 24);
  const segment = Buffer.from([0xff, 0xe1, 0, exif.length + 2]);
  return Buffer.concat([plain.subarray(0, 2), segment, exif, plain.subarray(2)]);
}

export const gif = (): Buffer => base64("R0lGODlhBAADAIAAAExpccg8FCH5BAUAAAAALAAAAAAEAAMAAAIDjI9WADs=");
export const webp = (): Buffer =>
  base64("UklGRjQAAABXRUJQVlA4ICgAAACQAQCdASoEAAMABABoJaACdLoAA5gA/uLgvoTY9qK//BBbUemHEAAA");
export const avif = (): Buffer =>
  base64(
    "AAAAHGZ0eXBhdmlmAAAAAG1pZjFhdmlmbWlhZgAAANZtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAACJpbG9jAAAAAERAAAEAAQAAAAAA+gABAAAAAAAAACIAAAAjaWluZgAAAAAAAQAAABVpbmZlAgAAAAABAABhdjAxAAAAAA5waXRtAAAAAAABAAAAVmlwcnAAAAA4aXBjbwAAAAxhdjFDgSACAAAAABRpc3BlAAAAAAAAAAQAAAADAAAAEHBpeGkAAAAAAwgICAAAABZpcG1hAAAAAAAAAAEAAQOBAgMAAAAqbWRhdBIACgg4BHmkBDQaQDIUHEJi5OAAFgAAkDWOPHZkgcca3FA=",
  );

/** One empty page. */
export const pdf = (): Buffer =>
  latin1(
    "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\nxref\n0 4\n0000000000 65535 f \n0000000009 00000 n \n0000000052 00000 n \n0000000101 00000 n \ntrailer<</Size 4/Root 1 0 R>>\nstartxref\n160\n%%EOF\n",
  );
/** One text, not compressed. */
export const zip = (): Buffer =>
  base64(
    "UEsDBBQAAAAAAAAAIVogMDo2BgAAAAYAAAAHAAAAcmVhZC5tZWhlbGxvClBLAQIUABQAAAAAAAAAIVogMDo2BgAAAAYAAAAHAAAAAAAAAAAAAAAAAAAAAAByZWFkLm1lUEsFBgAAAAABAAEANQAAACsAAAAAAA==",
  );
export const docx = (): Buffer =>
  base64(
    "UEsDBBQAAAAAAAAAIVrGEnoH8QAAAPEAAAATAAAAW0NvbnRlbnRfVHlwZXNdLnhtbDw/eG1sIHZlcnNpb249IjEuMCI/PjxUeXBlcyB4bWxucz0iaHR0cDovL3NjaGVtYXMub3BlbnhtbGZvcm1hdHMub3JnL3BhY2thZ2UvMjAwNi9jb250ZW50LXR5cGVzIj48T3ZlcnJpZGUgUGFydE5hbWU9Ii93b3JkL2RvY3VtZW50LnhtbCIgQ29udGVudFR5cGU9ImFwcGxpY2F0aW9uL3ZuZC5vcGVueG1sZm9ybWF0cy1vZmZpY2Vkb2N1bWVudC53b3JkcHJvY2Vzc2luZ21sLmRvY3VtZW50Lm1haW4reG1sIi8+PC9UeXBlcz5QSwMEFAAAAAAAAAAhWv/FGvQqAAAAKgAAABEAAAB3b3JkL2RvY3VtZW50LnhtbDw/eG1sIHZlcnNpb249IjEuMCIgZW5jb2Rpbmc9IlVURi04Ij8+PHgvPlBLAQIUABQAAAAAAAAAIVrGEnoH8QAAAPEAAAATAAAAAAAAAAAAAAAAAAAAAABbQ29udGVudF9UeXBlc10ueG1sUEsBAhQAFAAAAAAAAAAhWv/FGvQqAAAAKgAAABEAAAAAAAAAAAAAAAAAIgEAAHdvcmQvZG9jdW1lbnQueG1sUEsFBgAAAAACAAIAgAAAAHsBAAAAAA==",
  );

const iso = (brand: string): Buffer => {
  const box = Buffer.alloc(24);
  box.writeUInt32BE(24, 0);
  box.write(`ftyp${brand}`, 4, "latin1");
  box.write(`${brand}mp42`, 16, "latin1");
  return Buffer.concat([box, latin1("\0\0\0\x08free")]);
};
export const mp4 = (): Buffer => iso("isom");
export const m4a = (): Buffer => iso("M4A ");
export const m4v = (): Buffer => iso("M4V ");
export const webm = (): Buffer =>
  Buffer.concat([
    Buffer.from("1a45dfa39f4286810142f7810142f2810442f381084282847765626d42878102428581021853806780", "hex"),
    Buffer.alloc(64),
  ]);
const ogg = (codec: string): Buffer =>
  Buffer.concat([latin1("OggS\0\x02"), Buffer.alloc(22), latin1(codec), Buffer.alloc(40)]);
export const oggSound = (): Buffer => ogg("\x01vorbis");
export const oggFilm = (): Buffer => ogg("\x80theora");
export const mp3 = (): Buffer =>
  Buffer.concat([latin1("ID3\x04\0\0\0\0\0\0"), Buffer.from([0xff, 0xfb, 0x90, 0x64]), Buffer.alloc(413)]);
export const avi = (): Buffer => Buffer.concat([latin1("RIFF\x20\0\0\0AVI LIST"), Buffer.alloc(32)]);
export const wmv = (): Buffer => {
  const film = Buffer.from("9107dcb7b7a9cf118ee600c00c2053654e00000000000000c0ef19bc4d5bcf11a8fd00805f5c442b", "hex");
  const header = Buffer.from("3026b2758e66cf11a6d900aa0062ce6c6c00000000000000010000000102", "hex");
  return Buffer.concat([header, film, Buffer.alloc(64)]);
};
export const wav = (): Buffer =>
  Buffer.from(
    "524946462800000057415645666d74201000000001000100401f0000401f000001000800646174610400000000000000",
    "hex",
  );
export const ico = (): Buffer =>
  Buffer.from(
    "000001000100010101000100180030000000160000002800000001000000020000000100180000000000000000000000000000000000000000000000000000000000ffffff0000000000",
    "hex",
  );
export const tgz = (): Buffer => gzipSync("hello\n");
