import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { atEnd } from "./ending.ts";
import { until } from "./harness.ts";
import { closed, listen } from "./listening.ts";

/** A receiver of webhooks on a port of its own. */

export type Received = { headers: IncomingHttpHeaders; body: string; json: Payload };
export type Payload = {
  type: string;
  timestamp: string;
  data: {
    from: number;
    to: number;
    events: { sequence: number; kind: string; subject: string }[];
    groups: string[];
    gap?: boolean;
  };
};

export type Receiver = {
  url: string;
  received: Received[];
  /** Answers the next requests; the usual answer is 204. */
  answer: (reply: ServerResponse, request: Received) => void;
  /** Waits for so many requests. */
  has(count: number): Promise<void>;
  /** The sequences of the events that were received, in order. */
  sequences(): number[];
};

export async function startReceiver(): Promise<Receiver> {
  const receiver: Receiver = {
    url: "",
    received: [],
    answer: (reply) => reply.writeHead(204).end(),
    has: (count) =>
      until(
        () => receiver.received.length >= count,
        () => `${receiver.received.length} of ${count}`,
      ),
    sequences: () => receiver.received.flatMap(({ json }) => json.data.events.map(({ sequence }) => sequence)),
  };
  const server = createServer(async (request, reply) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const received = { headers: request.headers, body, json: JSON.parse(body) as Payload };
    receiver.received.push(received);
    reply.on("error", () => undefined);
    receiver.answer(reply, received);
  });
  server.on("clientError", () => undefined);
  receiver.url = `${await listen(server)}/hook`;
  atEnd(() => closed(server));
  return receiver;
}
