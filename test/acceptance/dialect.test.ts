/** Every call about files and folders in both dialects: names, places and rules of its arguments, If-Match, tokens. Contract §1, §2, §4, §5. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Call, Reply } from "./client.ts";
import { dialects, enterMedia, fileKeys, plantFile, tree } from "./media.ts";
import { type Any, allRepliesKeptTheirPromises, dataOf, refused, tagOf } from "./world.ts";

const world = await enterMedia("dialect");
const p = world.prefix;

type Noun = "file" | "folder";
type Write = {
  noun: Noun;
  verb: string;
  method: string;
  path: string;
  hasTarget?: boolean;
  more?: Any;
  status: number;
};

/** A pair with the noun's resource and no other. */
const writerOf = async (noun: Noun) => {
  const { token } = await world.token({ kind: "management", resources: [`${noun}s`] });
  return { token, access_token: world.pair.access_token };
};
const writers = { file: await writerOf("file"), folder: await writerOf("folder") };
const readers = {
  file: (await world.token({ kind: "delivery", resources: ["files"] })).token,
  folder: (await world.token({ kind: "delivery", resources: ["folders"] })).token,
};

/** A file with the field `old`, or a folder. */
async function plant(noun: Noun, ...names: string[]): Promise<void> {
  for (const name of names) {
    if (noun === "folder") dataOf(await world.write("POST", { path: world.id(name) }, "/api/folders"));
    else {
      await plantFile(world, name);
      dataOf(await world.write("POST", { path: world.id(name), field: "old", value: "o" }, "/api/files/meta"));
    }
  }
}

await plant("file", "guard/a.txt");
await plant("folder", "guard/b");
const guarded = await tree(world, "guard");

for (const { at, to, full, files, folders } of dialects) {
  const d = at === "path" ? "p" : "m";
  const [otherAt, otherTo] = at === "path" ? ["id", "new_id"] : ["path", "new_path"];
  const meta = { noun: "file", path: `${files}/meta`, status: 200 } as const;
  const writes: Write[] = (["file", "folder"] as const).flatMap((noun) => {
    const path = noun === "file" ? files : folders;
    return [
      { noun, verb: `move a ${noun}`, method: "PUT", path, hasTarget: true, status: 200 },
      { noun, verb: `copy a ${noun}`, method: "PUT", path: `${path}/copy`, hasTarget: true, status: 200 },
      { noun, verb: `delete a ${noun}`, method: "DELETE", path, status: 204 },
    ];
  });
  writes.push(
    { ...meta, verb: "add a field", method: "POST", more: { field: "new", value: "v" } },
    { ...meta, verb: "update a field", method: "PATCH", more: { field: "title", value: "v" } },
    { ...meta, verb: "delete a field", method: "DELETE", more: { field: "old" } },
  );
  const creates: Write = { noun: "folder", verb: "create a folder", method: "POST", path: folders, status: 200 };

  const argsOf = ({ hasTarget, more }: Write, name: string): Any => ({
    ...{ [at]: world.id(name), ...more },
    ...(hasTarget ? { [to]: world.id(`${name}-n.txt`) } : {}),
  });
  const sendTo = ({ method, path, noun }: Write, args: Any, more: Partial<Call> = {}): Promise<Reply> =>
    world.send({ method, path, json: { ...writers[noun], ...args }, ...more });
  const read = (noun: Noun, args: Any, token = readers[noun]): Promise<Reply> =>
    world.read(args, token, noun === "file" ? files : folders);

  for (const write of [...writes, creates]) {
    const { noun, verb, method, path, hasTarget, status } = write;
    const isCreate = write === creates;
    const place = `${d}/${verb.replaceAll(" ", "-")}`;

    describe(`${method} ${path}, ${verb}`, () => {
      test("takes its arguments from the query, forms and method overrides; the body takes precedence", async () => {
        const override = { "x-http-method-override": method };
        const carriers: Record<string, (all: Any, other: Any) => Partial<Call>> = {
          form: (form) => ({ form }),
          multipart: (multipart) => ({ multipart }),
          ...(method === "POST" ? {} : { override: (json) => ({ method: "POST", json, headers: override }) }),
          ...(/PUT|DELETE/.test(method)
            ? { query: (query) => ({ query }), both: (json, query) => ({ json, query }) }
            : {}),
        };
        for (const [carrier, carry] of Object.entries(carriers)) {
          const [one, other] = [`${place}/${carrier}.txt`, `${place}/${carrier}-other.txt`];
          if (!isCreate) await plant(noun, one, other);
          const all = { ...writers[noun], ...argsOf(write, one) };
          const reply = await world.send({ method, path, ...carry(all, argsOf(write, other)) });
          assert.equal(reply.status, status, `${carrier}: ${reply.text}`);
          if (status === 200) assert.equal(dataOf(reply).url, `project/uploads/${all[to] ?? all[at]}`, carrier);
          else refused(await read(noun, { [at]: all[at] }), 404, `${noun}_not_found`);
          if (!isCreate) dataOf(await read(noun, { [at]: world.id(other) }));
        }
      });

      test("takes the other dialect's names, and refuses different values", async () => {
        const name = `${place}/named.txt`;
        if (!isCreate) await plant(noun, name);
        const { [at]: id, [to]: target, ...more } = argsOf(write, name);
        const conflicts = [{ ...argsOf(write, name), [otherAt]: p }];
        if (hasTarget) conflicts.push({ ...argsOf(write, name), [otherTo]: p });
        for (const [n, args] of conflicts.entries())
          refused(await sendTo(write, args), 400, "argument_conflict", n === 0 ? /path|id/ : /new_/);
        const twin = { ...more, [otherAt as string]: id, ...(hasTarget ? { [otherTo as string]: target } : {}) };
        assert.equal((await sendTo(write, twin)).status, status);
      });

      test("refuses what is no path, names the argument, and changes nothing", async () => {
        const good = { ...argsOf(write, noun === "file" ? "guard/a.txt" : "guard/b"), [to]: world.id("guard/n.txt") };
        for (const argument of hasTarget ? [at, to] : [at]) {
          const send = (value: unknown) => sendTo(write, { ...good, [argument]: value });
          const about = new RegExp(`"${argument}"`);
          for (const value of ["", "/", 5, true, null, [p], { a: "b" }])
            refused(await send(value), 400, undefined, about);
          for (const value of ["..", ".", `../${p}/x.txt`, `${p}/../x.txt`, `${p}//x.txt`, `${p}/%2e%2e/x.txt`])
            refused(await send(value), 400, "path_invalid", about);
          refused(await send(undefined), 400, "argument_missing", about);
          refused(await send(`${p}/a\0b.txt`), 400);
        }
        assert.deepEqual(await tree(world, "guard"), guarded);
      });

      test("is permitted by If-Match with the current tag, else 412 and nothing changes", async () => {
        if (isCreate) await plant(noun, `${place}/a.txt`);
        else await plant(noun, ...["a", "b", "c", "other"].map((name) => `${place}/${name}.txt`));
        const attempt = (name: string, tag: string) =>
          sendTo(write, argsOf(write, `${place}/${name}.txt`), { headers: { "if-match": tag } });
        const tagAt = async (name: string, token?: string) =>
          tagOf(await read(noun, { [at]: world.id(`${place}/${name}.txt`) }, token));
        if (!isCreate) {
          const before = await tree(world, place);
          const other = await tagAt("other");
          for (const tag of ['"_x"', other, `"_x", W/${other}`])
            refused(await attempt("a", tag), 412, "revision_mismatch");
          assert.deepEqual(await tree(world, place), before);
          assert.equal((await attempt("a", `"_x", W/${await tagAt("a")}`)).status, status);
          assert.equal((await attempt("b", "*")).status, status);
          assert.equal((await attempt("c", await tagAt("c", world.tokens.management))).status, status);
        }
        for (const tag of ["*", '"_x"']) {
          refused(await attempt("nothing", tag), 404, `${noun}_not_found`, new RegExp(`"${at}"`));
          if (isCreate) refused(await attempt("a", tag), 409, "folder_exists");
        }
      });
    });
  }

  for (const noun of ["file", "folder"] as const) {
    test(`GET ${noun === "file" ? files : folders} has either name, one tag, and refuses what is no path`, async () => {
      const name = `${d}/read.txt/${noun}.txt`;
      await plant(noun, name);
      const id = world.id(name);
      const one = await read(noun, { [at]: `//${id}/` });
      const keys = ["old", ...fileKeys].sort();
      const isFile = noun === "file";
      assert.deepEqual(Object.keys(dataOf(one)).sort(), isFile ? keys : [at, full, "url", "full_url"].sort());
      for (const token of [readers[noun], writers[noun].token, world.tokens.management]) {
        for (const args of [{ path: id }, { id }, { path: id, id }])
          assert.deepEqual(dataOf(await read(noun, args, token)), dataOf(one));
      }
      refused(await read(noun, { path: id, id: p }), 400, "argument_conflict");
      const about = new RegExp(`"${at}"`);
      for (const more of [{}, { collection: true }]) {
        refused(await read(noun, more), 400, "argument_missing", about);
        for (const value of ["..", `${p}/../x`, `${p}//x`]) {
          refused(await read(noun, { [at]: value, ...more }), 400, "path_invalid", about);
        }
        for (const value of [[p], { a: p }]) refused(await read(noun, { [at]: value, ...more }), 400);
        const gone = await read(noun, { [at]: world.id("nothing"), ...more });
        refused(gone, 404, isFile && !("collection" in more) ? "file_not_found" : "folder_not_found", about);
      }
      const send = (tag: string) =>
        world.send({
          path: isFile ? files : folders,
          query: { [at]: id, token: readers[noun] },
          headers: { "if-none-match": tag },
        });
      for (const tag of [tagOf(one), `"_x", W/${tagOf(one)}`, "*"]) {
        const reply = await send(tag);
        assert.deepEqual([reply.status, reply.bytes.length, reply.headers.etag], [304, 0, tagOf(one)]);
      }
      assert.equal((await send('"_x"')).status, 200);
    });
  }
}

allRepliesKeptTheirPromises(world);
