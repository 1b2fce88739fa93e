import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { runOctavo } from "../../test/cli/octavo.ts";
import { atEnd } from "../../test/ending.ts";
import { startWorld, temporaryFolder, useWorld } from "../../test/harness.ts";
import { startMailServer } from "../../test/mail-server.ts";
import { askService } from "./remote.ts";

/** What a command with --url says of an address where something else answers, or nothing; and where its tokens go. */

const folder = temporaryFolder();
const world = useWorld();
const secrets = { OCTAVO_TOKEN: "oct_m_quiet", OCTAVO_ACCESS_TOKEN: "oct_a_harbour" };

/** The address of a server of ours that answers so. */
async function serverOf(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const fixed =
  (status: number, type: string, text: string): RequestListener =>
  (_request, response) => {
    response.writeHead(status, { "Content-Type": type });
    response.end(text);
  };
const problem = (status: number, code: string, detail: string) =>
  fixed(status, "application/problem+json", JSON.stringify({ code, detail, status }));

const run = (words: string[], url: string, env: Record<string, string> = secrets) =>
  runOctavo([...words, "--url", url], { cwd: folder, env });

test("what is no service of Octavo is told in a sentence, by every way of asking", async () => {
  const commands = [
    ["types", "generate"],
    ["types", "get", "movie"],
    ["people", "list"],
    ["verify"],
    ["trash", "list"],
  ];
  for (const [answer, says] of [
    [fixed(200, "text/html", "<h1>Welcome</h1>"), /the answer is none of Octavo; expected the address of a service/],
    [fixed(200, "application/json", '{"items":[]}'), /the answer is none of Octavo/],
    [fixed(200, "application/json", '{"data":5}'), /the answer is none of Octavo/],
    [fixed(200, "application/json", '{"data":[{"title":"A"}]}'), /the answer is none of Octavo/],
    [
      fixed(404, "text/html", "Not found"),
      /http:\/\/127\.0\.0\.1:\d+ answers 404, and no problem of Octavo; expected the address/,
    ],
    [fixed(401, "text/plain", "Sign in"), /answers 401, and no problem of Octavo/],
    [fixed(403, "application/json", '{"code":"FORBIDDEN","message":"No"}'), /answers 403, and no problem of Octavo/],
    [fixed(502, "text/html", "Bad gateway"), /answers 502/],
  ] as const) {
    const url = await serverOf(answer);
    for (const words of commands) {
      const { code, out, err } = await run(words, url);
      assert.deepEqual([code, out, says.test(err), err.split("\n").length], [1, "", true, 2], `${words}: ${err}`);
    }
  }
});

test("an older service is told by what it does not know", async () => {
  for (const code of ["route_not_found", "method_not_allowed", "argument_unknown"]) {
    const { err } = await run(["types", "list"], await serverOf(problem(400, code, "It is not known.")));
    assert.match(err, /^octavo: It is not known\.; the service may be older than this command, which is of version \d/);
  }
});

test("silence has its reason", async () => {
  const cut = await serverOf((_request, response) => {
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": "100" });
    response.write('{"data":');
    setImmediate(() => response.destroy());
  });
  const closed = await serverOf((request) => request.socket.destroy());
  for (const [url, says] of [
    [cut, /no service answers at http:\/\/127\.0\.0\.1:\d+: the connection was closed/],
    [closed, /no service answers at .*: the connection was closed/],
    [closed.replace("http:", "https:"), /no service answers at .*: /],
    [(await serverOf(() => undefined)).replace("http:", "https:"), /: what answers there is not HTTPS/],
    ["http://127.0.0.1:1", /no service answers at http:\/\/127\.0\.0\.1:1: nothing listens there/],
    ["http://nowhere.invalid", /no service answers at .*: the host name is not known/],
  ] as const) {
    const { code, out, err } = await run(["types", "generate"], url);
    assert.deepEqual([code, out, says.test(err)], [1, "", true], err);
  }
  const silent = await serverOf(() => undefined);
  await assert.rejects(askService(silent, {}, 50)({ method: "GET", url: "/api/types" }), /no answer in time/);
});

test("tokens are sent to the named address alone, and are not printed", async () => {
  const seen: string[] = [];
  const elsewhere = await serverOf((request, response) => {
    seen.push(String(request.headers.authorization));
    response.end();
  });
  const leading = await serverOf((_request, response) => {
    response.writeHead(308, { Location: `${elsewhere}/api/types` });
    response.end();
  });
  const { code, err } = await run(["types", "list"], leading);
  assert.deepEqual([code, err.includes(`leads to ${elsewhere}/api/types; expected --url with`)], [1, true], err);
  const next = await serverOf((request, response) => {
    const isFirst = !String(request.url).includes("cursor");
    response.writeHead(200, {
      "Content-Type": "application/json",
      ...(isFirst && { Link: `<${elsewhere}/api/tokens?cursor=abc>; rel="next"` }),
    });
    response.end('{"data":[]}');
  });
  assert.equal((await run(["people", "list"], next)).code, 0);
  assert.deepEqual(seen, []);
  for (const [env, url, says] of [
    [{ OCTAVO_TOKEN: "oct_m_a b" }, "http://127.0.0.1:1", /OCTAVO_TOKEN is no token; expected one word/],
    [
      { OCTAVO_TOKEN: "oct_m_a", OCTAVO_ACCESS_TOKEN: "oct_m_ä" },
      "http://127.0.0.1:1",
      /OCTAVO_ACCESS_TOKEN is no token/,
    ],
    [{}, "http://ada:oct_m_x@127.0.0.1:1", /--url has a name or a password; expected/],
    [{}, "http://127.0.0.1:1/?token=oct_m_x", /--url has more than an address; expected/],
    [{}, "ftp://127.0.0.1", /--url was "ftp:\/\/127/],
  ] as const) {
    const reply = await run(["types", "list"], url, env);
    assert.deepEqual([reply.code, says.test(reply.err), /oct_m/.test(reply.err)], [2, true, false], reply.err);
  }
});

test("what is missing is told by its variable", async () => {
  const { url } = world.app;
  const { management, delivery, images, access } = world.token;
  const both = (token: string, accessToken: string) => ({ OCTAVO_TOKEN: token, OCTAVO_ACCESS_TOKEN: accessToken });
  for (const [words, env, code, says] of [
    [["types", "list"], {}, 2, /^octavo: OCTAVO_TOKEN is missing; /],
    [["types", "list"], { OCTAVO_TOKEN: "" }, 2, /^octavo: OCTAVO_TOKEN is missing; /],
    [["types", "list"], { OCTAVO_TOKEN: `${management}\n` }, 0, /^$/],
    [["types", "list"], secrets, 1, /^octavo: OCTAVO_TOKEN is unknown, disabled or expired; /],
    [["types", "list"], { OCTAVO_TOKEN: delivery }, 1, /^octavo: OCTAVO_TOKEN is good, but not for this; .*management/],
    [["types", "list"], { OCTAVO_TOKEN: images }, 1, /^octavo: OCTAVO_TOKEN is good, but not for this; /],
    [["release", "create", "A"], { OCTAVO_TOKEN: management }, 2, /^octavo: OCTAVO_ACCESS_TOKEN is missing; /],
    [["release", "create", "A"], both(management, delivery), 1, /^octavo: OCTAVO_ACCESS_TOKEN is unknown, disabled/],
    [["release", "create", "A"], both(management, access), 0, /^$/],
  ] as const) {
    const reply = await run([...words], url, env);
    assert.deepEqual([reply.code, says.test(reply.err)], [code, true], reply.err);
  }
});

test("what is for this machine alone is refused with --url", async () => {
  for (const [words, says] of [
    [["verify", "nowhere.tar"], /FILE and --url cannot be combined/],
    [["verify", "--repair"], /--repair and --url cannot be combined/],
    [["verify", "--from", "a.tar"], /--from and --url cannot be combined/],
    [["token", "create", "--kind", "access", "--token-stdin"], /--token-stdin and --url cannot be combined/],
  ] as const) {
    const { code, out, err } = await run([...words], world.app.url);
    assert.deepEqual([code, out, says.test(err)], [2, "", true], err);
  }
});

test("a service with a mail server mails the link of a person, and says so", async () => {
  const { port, received } = await startMailServer();
  const mailing = await startWorld({}, { OCTAVO_SMTP_URL: `smtp://127.0.0.1:${port}?from=a@example.org` });
  try {
    const env = { OCTAVO_TOKEN: mailing.token.management, OCTAVO_ACCESS_TOKEN: mailing.token.access };
    const invited = await run(["people", "invite", "ada@example.org", "--role", "owner"], mailing.app.url, env);
    assert.match(invited.out, /^The link is mailed to ada@example\.org, and holds until \d{4}-.*Z\.\n$/);
    const reset = await run(["people", "reset", "ada@example.org", "--json"], mailing.app.url, env);
    const { mailed, link } = JSON.parse(reset.out);
    assert.deepEqual([mailed, link, received.length], [true, undefined, 2]);
  } finally {
    await mailing.app.close();
  }
});

test("what is too large for a request is refused with the bound, not with a broken connection", async () => {
  const operation = { method: "POST", path: "/api/entries", body: { id: "a", data: { text: "x".repeat(3_000_000) } } };
  const env = { OCTAVO_TOKEN: world.token.management, OCTAVO_ACCESS_TOKEN: world.token.access };
  const words = ["batch", "-", "--url", world.app.url];
  const { code, err } = await runOctavo(words, { cwd: folder, env, input: JSON.stringify(operation) });
  assert.deepEqual([code, /larger than .*1310720/.test(err)], [1, true], err);
});
