import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, test } from "node:test";
import { type Reply, useWorld, type World } from "../../test/harness.ts";
import { createDatabase, lacksPostgres } from "../../test/postgres.ts";
import { unitBounds } from "../core/unit.ts";

/** Many writes, or none. Contract, part two, §13. */

type Operation = { method?: string; path?: string; body?: unknown; if_match?: unknown };
type Answered = { status: number; data: Record<string, unknown> | null; etag: string | null; outcome?: string };

const create = (id: string, data: object = {}) => ({ method: "POST", path: "/api/entries", body: { id, data } });
const update = (id: string, data: object, if_match?: string) => ({
  ...{ method: "PATCH", path: "/api/entries", body: { id, data } },
  ...(if_match === undefined ? {} : { if_match }),
});
const remove = (id: string) => ({ method: "DELETE", path: "/api/entries", body: { id } });

const answersOf = (reply: Reply): Answered[] => {
  assert.equal(reply.status, 200, reply.text.slice(0, 500));
  assert.deepEqual(Object.keys(reply.json), ["data"]);
  return reply.json.data as Answered[];
};

function refused(reply: Reply, status: number, code: string, operation?: number): void {
  assert.deepEqual([reply.status, reply.json.code, reply.json.operation], [status, code, operation], reply.text);
}

const postgres = lacksPostgres();
const engines = [
  ["SQLite", false, {}],
  ["PostgreSQL", postgres ?? false, postgres ? {} : createDatabase().then((url) => ({ OCTAVO_POSTGRES_URL: url }))],
] as const;

for (const [engine, skip, env] of engines) {
  describe(engine, { skip }, () => {
    const world = skip ? ({} as World) : useWorld({}, env as Record<string, string>);
    const tokens = (token = world.token.management, access = world.token.access) => ({
      Authorization: `Bearer ${token}`,
      "X-Access-Token": access,
    });
    const batch = (operations: unknown, more: object = {}, headers: object = {}) =>
      world.send("POST", "/api/batch", {
        body: { operations, ...more },
        headers: { ...tokens(), ...headers } as Record<string, string>,
      });
    const plain = (method: string, path: string, body?: unknown, headers = tokens()) =>
      world.send(method, path, { body, headers });
    const read = (id: string) => plain("GET", `/api/management/entries?id=${id}`);
    const newest = async () => (await world.app.stores.events.bounds()).newest;
    const eventsAfter = async (since: number) => world.app.stores.events.list(since, 5000);

    test("operations of every noun are done in order, each sees those before it, an event each", async () => {
      await plain("POST", "/api/files", undefined);
      const form =
        '--o\r\nContent-Disposition: form-data; name="folder"\r\n\r\nall\r\n--o\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nx\r\n--o--\r\n';
      const uploaded = await world.send("POST", "/api/files", {
        body: form,
        headers: { ...tokens(), "Content-Type": "multipart/form-data; boundary=o" },
      });
      assert.equal(uploaded.status, 200, uploaded.text);
      const before = await newest();
      const operations: [Operation, number, string][] = [
        [create("all", { n: 1 }), 200, "entry.create"],
        [update("all", { n: 2 }), 200, "entry.update"],
        [create("all/b", { big: 9007199254740993n.toString() }), 200, "entry.create"],
        [{ method: "PUT", path: "/api/entries/copy", body: { id: "all", new_id: "copied" } }, 200, "entry.copy"],
        [{ method: "PUT", path: "/api/entries/", body: { id: "copied", new_id: "moved" } }, 200, "entry.move"],
        [{ method: "PATCH", path: "/api/entries/staged", body: { id: "moved/b", data: { n: 3 } } }, 200, "entry.stage"],
        [{ method: "POST", path: "/api/entries/publish", body: { id: "moved/b" } }, 200, "entry.publish"],
        [{ method: "PATCH", path: "/api/entries/staged", body: { id: "moved", data: { n: 4 } } }, 200, "entry.stage"],
        [{ method: "DELETE", path: "/api/entries/staged?id=moved" }, 204, "entry.discard"],
        [{ method: "DELETE", path: "/api/management/entries", body: { id: "moved" } }, 204, "entry.delete"],
        [{ method: "POST", path: "/api/folders", body: { path: "all/f" } }, 200, "folder.create"],
        [{ method: "PUT", path: "/api/media/folders", body: { id: "all/f", new_id: "all/g" } }, 200, "folder.move"],
        [{ method: "PUT", path: "/api/folders/copy", body: { path: "all/g", new_path: "all/h" } }, 200, "folder.copy"],
        [{ method: "DELETE", path: "/api/folders", body: { path: "all/h" } }, 204, "folder.delete"],
        [
          { method: "PUT", path: "/api/files/copy", body: { path: "all/a.txt", new_path: "all/g/a.txt" } },
          200,
          "file.copy",
        ],
        [
          { method: "PUT", path: "/api/media/files", body: { id: "all/g/a.txt", new_id: "all/g/b.txt" } },
          200,
          "file.move",
        ],
        [
          { method: "POST", path: "/api/files/meta", body: { path: "all/g/b.txt", field: "alt", value: "A" } },
          200,
          "file.update",
        ],
        [
          { method: "PATCH", path: "/api/files/meta", body: { path: "all/g/b.txt", field: "title", value: "T" } },
          200,
          "file.update",
        ],
        [
          { method: "DELETE", path: "/api/files/meta", body: { path: "all/g/b.txt", field: "alt" } },
          200,
          "file.update",
        ],
        [{ method: "DELETE", path: "/api/files", body: { path: "all/g/b.txt" } }, 204, "file.delete"],
        [{ method: "PUT", path: "/api/registry", body: { id: "all.key", value: [1, null] } }, 200, "registry.set"],
        [{ method: "DELETE", path: "/api/registry", body: { id: "all.key" } }, 204, "registry.delete"],
      ];
      const sent = operations.map(([operation]) => operation);
      const tried = answersOf(await batch(sent, { dry_run: true }));
      assert.equal(await newest(), before);
      assert.equal((await read("all")).status, 404);
      const answers = answersOf(await batch(sent));
      assert.deepEqual(
        answers.map(({ status }) => status),
        operations.map(([, status]) => status),
      );
      assert.deepEqual(
        (await eventsAfter(before)).map(({ kind }) => kind),
        operations.map(([, , kind]) => kind),
      );
      const comparable = (all: Answered[]) =>
        JSON.stringify(all.map(({ status, data }) => [status, data])).replaceAll(
          /"[0-9a-f-]{36}"|\b1[78]\d{8}\b/g,
          '""',
        );
      assert.equal(comparable(tried), comparable(answers));
      const [first, second] = answers as [Answered, Answered];
      const now = await read("all");
      assert.deepEqual(second.data, now.json.data);
      assert.equal(second.etag?.replaceAll('"', ""), now.headers.get("etag")?.replaceAll('"', "").split("-")[0]);
      assert.notEqual(first.etag, second.etag);
      assert.deepEqual(answers[8], { status: 204, data: null, etag: null });
    });

    test("the first failure undoes all, and is the answer, with the number of its operation", async () => {
      await plain("POST", "/api/entries", { id: "kept", data: { n: 1 } });
      const before = await newest();
      const failures: [Operation[], number, string, number][] = [
        [[create("x"), update("nowhere", {}), create("kept")], 404, "entry_not_found", 1],
        [[update("kept", { n: 2 }), create("x"), create("x")], 409, "entry_exists", 2],
        [[remove("kept"), create("kept"), create("kept/a"), create("kept")], 409, "entry_exists", 3],
        [[create("x"), update("kept", { n: 2 }, '"zzz"')], 412, "revision_mismatch", 1],
        [
          [create("x"), { method: "PUT", path: "/api/entries", body: { id: "kept", new_id: "kept/x" } }],
          409,
          "move_into_itself",
          1,
        ],
        [
          [create("x"), { method: "DELETE", path: "/api/media/folders", body: { id: "no/folder" } }],
          404,
          "folder_not_found",
          1,
        ],
        [[...Array.from({ length: 70 }, (_, n) => create(`many/${n}`)), create("many/63")], 409, "entry_exists", 70],
        [
          Array.from({ length: 20 }, (_, n) => create(n === 7 || n === 12 ? "kept" : `many/${n}`)),
          409,
          "entry_exists",
          7,
        ],
      ];
      for (const more of [{}, { dry_run: true }])
        for (const [operations, status, code, number] of failures)
          refused(await batch(operations, more), status, code, number);
      const folder = await batch([{ method: "DELETE", path: "/api/media/folders", body: { id: "no/folder" } }]);
      assert.match(folder.json.detail as string, /^"id" was "no\/folder"/);
      assert.equal(await newest(), before);
      assert.deepEqual((await read("kept")).json.data, (await read("kept")).json.data);
      assert.equal((await read("x")).status, 404);
      assert.equal((await read("many/1")).status, 404);
      // What was undone leaves nothing in the indexes.
      const list = await plain("GET", "/api/management/entries?id=many&options[collection]=1");
      assert.ok(list.status === 404 || (list.json.data as []).length === 0, list.text);
      answersOf(await batch([create("x"), remove("x")]));
    });

    test("a batch with a key is written once, a dry run with one is not kept", async () => {
      const key = { "Idempotency-Key": randomUUID() };
      const operations = [create("once", { n: 1 }), update("once", { n: 2 }), create("once/a"), remove("once/a")];
      const tried = await batch(operations, { dry_run: true }, key);
      answersOf(tried);
      const first = await batch(operations, {}, key);
      assert.equal(first.headers.get("idempotent-replayed"), null);
      answersOf(first);
      const before = await newest();
      await plain("PATCH", "/api/entries", { id: "once", data: { n: 3 } });
      const second = await batch(operations, {}, key);
      assert.deepEqual([second.status, second.text], [200, first.text]);
      assert.equal(second.headers.get("idempotent-replayed"), "true");
      assert.equal(await newest(), before + 1);
      refused(await batch(operations.slice(1), {}, key), 422, "idempotency_mismatch");
      refused(await batch(operations, { dry_run: true }, key), 422, "idempotency_mismatch");
    });

    test("on_conflict and merge_patch of an operation, and its outcome", async () => {
      const key = { "Idempotency-Key": randomUUID() };
      const stagedPatch = {
        method: "PATCH",
        path: "/api/entries/staged",
        body: { id: "up", data: { s: { x: null } } },
      };
      const operations = [
        { ...create("up", { a: { x: 1, y: 2 }, b: 1, s: { x: 1, y: 1 } }), on_conflict: "update" },
        { ...create("up", { b: 2 }), on_conflict: "update" },
        { ...create("up", { b: 2 }), on_conflict: "update" },
        { ...create("up", { c: 3 }), on_conflict: "skip" },
        { method: "POST", path: "/api/management/entries", body: { id: "up", data: { b: 2 }, on_conflict: "update" } },
        { ...update("up", { a: { x: null } }), merge_patch: true },
        { ...update("up", { n: null }), merge_patch: false },
        { ...stagedPatch, merge_patch: true },
        { ...create("up-new"), on_conflict: "fail" },
        create("up-plain"),
      ];
      const before = await newest();
      const tried = answersOf(await batch(operations, { dry_run: true }));
      assert.equal(await newest(), before);
      const first = await batch(operations, {}, key);
      const answers = answersOf(first);
      const none = undefined;
      const outcomes = ["created", "updated", "unchanged", "skipped", "unchanged", none, none, none, "created", none];
      for (const all of [tried, answers])
        assert.deepEqual(
          all.map(({ outcome }) => outcome),
          outcomes,
        );
      assert.ok(!("outcome" in (answers[9] as object)));
      assert.equal(answers[1]?.etag, answers[3]?.etag);
      assert.deepEqual([answers[5]?.data?.a, answers[6]?.data?.n, answers[7]?.data?.s], [{ y: 2 }, null, { y: 1 }]);
      const kinds = (await eventsAfter(before)).map(({ kind }) => kind);
      const written = ["create", "update", "update", "update", "stage", "create", "create"];
      assert.deepEqual(
        kinds,
        written.map((verb) => `entry.${verb}`),
      );
      const again = await batch(operations, {}, key);
      assert.deepEqual([again.text, again.headers.get("idempotent-replayed")], [first.text, "true"]);
    });

    test("on_conflict and merge_patch elsewhere, or in two ways, are refused before anything runs", async () => {
      const before = await newest();
      const skip = { on_conflict: "skip" };
      const failures: [operation: object, code: string][] = [
        [{ ...update("x", {}), ...skip }, "argument_invalid"],
        [{ ...remove("x"), ...skip }, "argument_invalid"],
        [{ method: "PUT", path: "/api/registry", body: { id: "a", value: 1 }, ...skip }, "argument_invalid"],
        [{ ...create("x"), merge_patch: true }, "argument_invalid"],
        [{ ...remove("x"), merge_patch: false }, "argument_invalid"],
        [{ method: "PUT", path: "/api/registry", body: { id: "a", value: 1 }, merge_patch: true }, "argument_invalid"],
        [
          { method: "PATCH", path: "/api/files/meta", body: { path: "a", field: "b", value: "c" }, merge_patch: true },
          "argument_invalid",
        ],
        [{ ...update("x", {}), merge_patch: "true" }, "argument_invalid"],
        [{ ...create("x"), on_conflict: "merge" }, "argument_invalid"],
        [{ ...create("x"), on_conflict: null }, "argument_invalid"],
        [
          { method: "POST", path: "/api/entries", body: { id: "x", data: {}, on_conflict: "update" }, ...skip },
          "argument_conflict",
        ],
      ];
      for (const [operation, code] of failures) refused(await batch([create("never"), operation]), 400, code, 1);
      assert.equal(await newest(), before);
      const both = { method: "POST", path: "/api/entries", body: { id: "both", data: {}, ...skip }, ...skip };
      assert.equal(answersOf(await batch([both]))[0]?.outcome, "created");
      refused(await batch([{ ...create("both"), on_conflict: "fail" }]), 409, "entry_exists", 0);
    });

    test("two upserts of one id at once: both end, and one has made it", async () => {
      for (let round = 0; round < 5; round++) {
        const send = (n: number) =>
          n % 2
            ? batch([{ ...create(`at-once/${round}`, { [`k${n}`]: n }), on_conflict: "update" }])
            : plain("POST", "/api/entries", { id: `at-once/${round}`, data: { [`k${n}`]: n }, on_conflict: "update" });
        const replies = await Promise.all(Array.from({ length: 8 }, (_, n) => send(n)));
        const outcomes = replies.map((reply, n) =>
          n % 2 ? answersOf(reply)[0]?.outcome : reply.headers.get("octavo-outcome"),
        );
        assert.deepEqual(
          outcomes.filter((outcome) => outcome !== "updated"),
          ["created"],
        );
        const { data } = (await read(`at-once/${round}`)).json as { data: object };
        for (let n = 0; n < 8; n++) assert.ok(`k${n}` in data);
      }
    });

    test("a batch of 1,000 operations, and of 10,000 things", async () => {
      const many = Array.from({ length: 1000 }, (_, n) => create(`thousand/${n}`, { n }));
      const before = await newest();
      const answers = answersOf(await batch(many));
      assert.deepEqual(
        answers.map(({ data }) => data?.n),
        many.map((_, n) => n),
      );
      const events = await eventsAfter(before);
      assert.deepEqual(
        events.map(({ subject }) => subject),
        many.map(({ body }) => body.id),
      );
      const copy = (n: number) => ({
        method: "PUT",
        path: "/api/entries/copy",
        body: { id: "thousand", new_id: `copy-${n}` },
      });
      answersOf(await batch([create("thousand")]));
      refused(await batch(Array.from({ length: 10 }, (_, n) => copy(n))), 413, "batch_too_large", 9);
      assert.equal(unitBounds.things, 10_000);
      assert.equal((await read("copy-0")).status, 404);
      answersOf(
        await batch(
          Array.from({ length: 9 }, (_, n) => copy(n)),
          { dry_run: true },
        ),
      );
      assert.equal((await read("copy-0")).status, 404);
      answersOf(await batch([remove("thousand")]));
    });

    test("If-Match of an operation is that of its own state, as the operations before have left it", async () => {
      const [made] = answersOf(await batch([create("match", { n: 1 })])) as [Answered];
      refused(
        await batch([update("match", { n: 2 }, made.etag as string), update("match", { n: 3 }, made.etag as string)]),
        412,
        "revision_mismatch",
        1,
      );
      const [again] = answersOf(
        await batch([update("match", { n: 2 }, made.etag as string), update("match", { n: 3 }, "*")]),
      ) as [Answered];
      assert.equal(again.data?.n, 2);
      answersOf(await batch([remove("match")]));
    });

    test("an unmatched write beside a batch is done before or after it, never within", async () => {
      const operations = Array.from({ length: 200 }, (_, n) => create(`beside/${n}`, { n }));
      const [whole, ...others] = await Promise.all([
        batch(operations),
        ...Array.from({ length: 20 }, (_, n) => plain("POST", "/api/entries", { id: `single-${n}`, data: {} })),
      ]);
      answersOf(whole as Reply);
      for (const other of others) assert.equal(other.status, 200, other.text);
      const events = await eventsAfter((await newest()) - 220);
      const places = events.flatMap(({ subject }, i) => (subject.startsWith("beside/") ? [i] : []));
      assert.equal((places.at(-1) as number) - (places[0] as number), 199);
      const list = await plain("GET", "/api/management/entries?id=beside&filter[limit]=500&options[collection]=1");
      assert.equal((list.json.data as []).length, 200);
    });

    // What follows is decided before the store is asked.
    if (engine !== "SQLite") return;

    test("arguments that an operation ignores are told, by its number; so in its replay", async () => {
      const typo = { method: "POST", path: "/api/entries", body: { id: "told/a", data: { n: 1 }, titel: "A" } };
      const inPath = { method: "DELETE", path: "/api/entries?id=told/a&forse=1" };
      const key = { "Idempotency-Key": randomUUID() };
      for (const replayed of [undefined, "true"]) {
        const reply = await batch([create("told/b"), typo, inPath, remove("told/b")], {}, key);
        assert.equal(answersOf(reply).length, 4);
        assert.equal(reply.headers.get("octavo-ignored"), "operations[1][body][titel], operations[2][path][forse]");
        assert.equal(reply.headers.get("idempotent-replayed") ?? undefined, replayed);
      }
      const clean = await batch([create("told/c"), remove("told/c")]);
      assert.equal(clean.headers.get("octavo-ignored"), null);
    });

    test("scopes, then forms are checked in order before the first runs", async () => {
      const before = await newest();
      const forms: [unknown, number, string, number | undefined][] = [
        [[], 400, "argument_invalid", undefined],
        ["text", 400, "argument_invalid", undefined],
        [{}, 400, "argument_invalid", undefined],
        [[create("y"), 7], 400, "argument_invalid", 1],
        [[create("y"), { path: "/api/entries" }], 400, "argument_missing", 1],
        [[create("y"), { method: "POST" }], 400, "argument_missing", 1],
        [[create("y"), { ...create("z"), extra: 1 }], 400, "argument_unknown", 1],
        [[create("y"), { ...create("z"), token: "t" }], 400, "argument_unknown", 1],
        [[create("y"), { ...create("z"), body: [] }], 400, "argument_invalid", 1],
        [[create("y"), { ...create("z"), if_match: 1 }], 400, "argument_invalid", 1],
        [[create("y"), { method: "POST", path: "/api/entries", body: { id: "z" } }], 400, "argument_missing", 1],
        [
          [create("y"), { method: "POST", path: "/api/entries", body: { id: "../z", data: {} } }],
          400,
          "path_invalid",
          1,
        ],
        [
          [create("y"), { method: "POST", path: "/api/entries/publish", body: { id: "y", oops: 1 } }],
          400,
          "argument_unknown",
          1,
        ],
        [
          [
            create("y"),
            create("y"),
            { method: "PATCH", path: "/api/entries", body: { id: "y", data: { visibility: 5 } } },
          ],
          400,
          "field_invalid",
          2,
        ],
        [[{ method: "GET", path: "/api/entries", body: {} }], 400, "operation_refused", 0],
        [[{ method: "post", path: "/api/entries", body: {} }], 400, "operation_refused", 0],
        [[{ method: "POST", path: "/api/files", body: {} }], 400, "operation_refused", 0],
        [[{ method: "POST", path: "/api/batch", body: { operations: [create("y")] } }], 400, "operation_refused", 0],
        [[{ method: "POST", path: "/api/tokens", body: {} }], 400, "operation_refused", 0],
        [[{ method: "PUT", path: "/api/types", body: {} }], 400, "operation_refused", 0],
        [[{ method: "POST", path: "//api/entries", body: {} }], 400, "operation_refused", 0],
        [[{ method: "POST", path: "http://localhost/api/entries", body: {} }], 400, "operation_refused", 0],
        [[{ method: "POST", path: "*", body: {} }], 400, "operation_refused", 0],
        [[{ method: "POST", path: "", body: {} }], 400, "operation_refused", 0],
        [[{ method: "POST", path: "/api/nowhere", body: {} }], 400, "operation_refused", 0],
        [Array(1001).fill(create("y")), 413, "batch_too_large", undefined],
      ];
      for (const [operations, status, code, number] of forms) {
        const reply = await batch(operations);
        refused(reply, status, code, number);
      }
      refused(await batch(undefined), 400, "argument_missing");
      refused(await batch([create("y")], { oops: 1 }), 400, "argument_unknown");
      assert.equal(await newest(), before);
    });

    test("tokens are beside the operations alone", async () => {
      for (const name of ["token", "access_token"]) {
        const secret = name === "token" ? world.token.management : world.token.access;
        const operations = [
          { method: "POST", path: "/api/entries", body: { id: "y", data: {}, [name]: secret } },
          { method: "DELETE", path: `/api/entries?id=y&${name}=${secret}` },
          { method: "DELETE", path: "/api/entries", body: { id: "y", [name]: null } },
        ];
        for (const operation of operations) {
          const reply = await batch([create("z"), operation]);
          refused(reply, 400, "argument_invalid", 1);
          assert.ok(!reply.text.includes(secret), reply.text);
        }
      }
      // A field of an entry may have any name.
      answersOf(await batch([create("named", { token: "mine" }), remove("named")]));
      const inBody = await world.send("POST", "/api/batch", {
        body: {
          operations: [create("in-body"), remove("in-body")],
          token: world.token.management,
          access_token: world.token.access,
        },
      });
      answersOf(inBody);
    });

    test("what the tokens may not do is refused before anything else", async () => {
      const entries = await world.issue("management", ["entries"]);
      const staged = await world.issue("management", ["entries"], { writes: "staged" });
      const part = await world.issue("management", ["entries", "folders"], { paths: ["part"] });
      const bound = await world.issue("access", [], { paths: ["part"] });
      const registry = { method: "PUT", path: "/api/registry", body: { id: "a.b", value: 1 } };
      const as = (token: string, operations: unknown, access?: string) => batch(operations, {}, tokens(token, access));
      refused(await as(entries.secret, [create("../bad"), registry]), 403, "scope_missing", 1);
      refused(await as(world.token.delivery, [create("y")]), 403, "scope_missing");
      refused(await batch([create("y")], {}, { "X-Access-Token": "" }), 401, "access_token_missing");
      refused(
        await as(staged.secret, [create("d", { visibility: "draft" }), update("d", {})]),
        403,
        "scope_missing",
        1,
      );
      refused(await as(staged.secret, [create("d", { visibility: "draft" }), create("e")]), 403, "scope_missing", 1);
      answersOf(
        await as(staged.secret, [
          create("d", { visibility: "draft" }),
          { method: "PATCH", path: "/api/entries/staged", body: { id: "d", data: { n: 1 } } },
        ]),
      );
      refused(await as(part.secret, [create("part/a"), create("other/a")]), 404, "entry_not_found", 1);
      refused(await as(world.token.management, [create("part/a"), registry], bound.secret), 403, "scope_missing", 1);
      refused(
        await as(world.token.management, [create("part/a"), create("b")], bound.secret),
        404,
        "entry_not_found",
        1,
      );
      answersOf(await as(part.secret, [create("part/a"), remove("part/a")], bound.secret));
      answersOf(await batch([remove("d")]));
    });

    test("each operation counts a call, also in a batch that fails or is tried; all fit or none", async () => {
      const { secret, id } = await world.issue("management", ["entries"], { limitCalls: 10 });
      const access = await world.issue("access", [], { limitCalls: 9 });
      const calls = async () => [
        (await world.app.stores.tokens.get(id)).calls,
        (await world.app.stores.tokens.get(access.id)).calls,
      ];
      const as = (operations: unknown, more: object = {}, headers: object = {}) =>
        batch(operations, more, { ...tokens(secret, access.secret), ...headers });
      answersOf(await as([create("c"), remove("c")]));
      assert.deepEqual(await calls(), [2, 2]);
      answersOf(await as([create("c"), remove("c")], { dry_run: true }));
      assert.deepEqual(await calls(), [4, 4]);
      refused(await as([update("nowhere", {})]), 404, "entry_not_found", 0);
      assert.deepEqual(await calls(), [5, 5]);
      refused(await as([{ method: "PUT", path: "/api/registry", body: {} }, create("c")]), 403, "scope_missing", 0);
      assert.deepEqual(await calls(), [5, 5]);
      refused(await as(Array(5).fill(create("c"))), 429, "call_limit_reached");
      assert.deepEqual(await calls(), [5, 5]);
      refused(await as([create("c"), { ...create("d"), extra: 1 }]), 400, "argument_unknown", 1);
      assert.deepEqual(await calls(), [7, 7]);
      const key = { "Idempotency-Key": randomUUID() };
      const first = await as([create("c")], {}, key);
      assert.deepEqual(await calls(), [8, 8]);
      const second = await as([create("c")], {}, key);
      assert.deepEqual([second.text, second.headers.get("idempotent-replayed")], [first.text, "true"]);
      assert.deepEqual(await calls(), [9, 9]);
      refused(await as([remove("c")]), 429, "call_limit_reached");
      const unlimited = await world.issue("management", ["entries"]);
      answersOf(await batch([create("u"), remove("u")], {}, tokens(unlimited.secret)));
      await world.app.stores.tokens.list();
      assert.equal((await world.app.stores.tokens.get(unlimited.id)).calls, 2);
    });

    test("an answer of too many characters is refused", async () => {
      const text = "x".repeat(1_000_000);
      await plain("POST", "/api/entries", { id: "heavy", data: { text } });
      const operations = Array.from({ length: 60 }, (_, n) => ({
        ...{ method: "PUT", path: "/api/entries/copy", body: { id: "heavy", new_id: `heavy-${n}` } },
      }));
      const reply = await batch(operations);
      assert.deepEqual([reply.status, reply.json.code], [413, "batch_too_large"], reply.text.slice(0, 300));
      assert.equal((await read("heavy-0")).status, 404);
    });

    test("data of an operation may be as deep as that of an entry, and no deeper", async () => {
      const deep = (levels: number): unknown => (levels === 0 ? 1 : { a: deep(levels - 1) });
      const alone = await plain("POST", "/api/entries", { id: "deep", data: deep(65) });
      for (const [levels, isGood] of [
        [64, true],
        [65, false],
        [66, false],
        [70, false],
      ] as const) {
        const reply = await batch([create("deep-in-batch", deep(levels) as object)], { dry_run: true });
        if (isGood) answersOf(reply);
        else assert.ok(reply.status === 400 || reply.status === 413, reply.text);
        if (levels === 65) assert.equal(reply.json.code, alone.json.code);
      }
    });
  });
}
