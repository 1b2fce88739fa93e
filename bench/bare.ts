/**
 * Baselines for reads: plain node:http. Prints its URL.
 * `memory FILE` answers every request with the same bytes. `disk FOLDER` and `stream FOLDER` answer with the file that
 * the path names below /project/uploads, read at once or piped; a Range of two numbers is supported. Not for untrusted
 * clients: paths are not checked.
 */
import { createReadStream, readFile, readFileSync, stat } from "node:fs";
import { open } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const handlers: Record<string, (place: string) => Handler> = {
  memory: (file) => {
    const body = readFileSync(file);
    return (_request, response) => send(response, body);
  },
  disk: (folder) => (request, response) => {
    const range = rangeOf(request);
    if (range) void readRange(fileOf(folder, request), range).then((body) => send(response, body));
    else readFile(fileOf(folder, request), (error, body) => (error ? response.destroy(error) : send(response, body)));
  },
  stream: (folder) => (request, response) => {
    const file = fileOf(folder, request);
    stat(file, (error, found) => {
      if (error) return response.destroy(error);
      response.writeHead(200, headers(found.size));
      createReadStream(file).pipe(response);
    });
  },
};

const headers = (length: number): string[] => [
  ...["Content-Type", "application/json; charset=utf-8"],
  ...["Content-Length", String(length)],
];

function send(response: ServerResponse, body: Buffer): void {
  response.writeHead(200, headers(body.length));
  response.end(body);
}

const fileOf = (folder: string, { url }: IncomingMessage): string =>
  join(folder, (url as string).slice("/project/uploads".length));

function rangeOf(request: IncomingMessage): [first: number, last: number] | undefined {
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
  return last === undefined ? undefined : [Number(first), Number(last)];
}

async function readRange(file: string, [first, last]: [number, number]): Promise<Buffer> {
  const handle = await open(file);
  const { buffer } = await handle.read(Buffer.allocUnsafe(last - first + 1), 0, last - first + 1, first);
  await handle.close();
  return buffer;
}

const [kind = "", place = ""] = process.argv.slice(2);
const handle = handlers[kind]?.(place) as Handler;
const server = createServer((request, response) => {
  request.resume();
  handle(request, response);
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
