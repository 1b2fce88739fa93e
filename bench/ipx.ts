/** IPX on a folder of images, with its own Node server: `ipx.ts INSTALLED PICTURES`. */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [installed = "", pictures = ""] = process.argv.slice(2);
const { createIPX, createIPXNodeServer, ipxFSStorage } = (await import(
  pathToFileURL(join(installed, "node_modules/ipx/dist/index.mjs")).href
)) as {
  createIPX(options: object): unknown;
  createIPXNodeServer(ipx: unknown): RequestListener;
  ipxFSStorage(options: object): unknown;
};

const server = createServer(createIPXNodeServer(createIPX({ storage: ipxFSStorage({ dir: pictures }) })));
server.listen(0, "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
