import type { Described, Descriptions, Examples, Refused, Sent } from "./example.ts";

/**
 * Operations of `/api/files` or `/api/folders` with their twins below `/api/media`, whose arguments are `id` and
 * `new_id` in place of `path` and `new_path`.
 */
export const inDialects = (noun: "files" | "folders", operations: Descriptions): Descriptions => ({
  ...operations,
  ...Object.fromEntries(
    Object.entries(operations).map(([name, described]) => [
      name.replace(`/api/${noun}`, `/api/media/${noun}`),
      twinOf(described),
    ]),
  ),
});

const twinOf = ({ description, examples, refused = {} }: Described): Described => ({
  description,
  examples: examples.map(twin) as unknown as Examples,
  refused: Object.fromEntries(Object.entries(refused).map(([code, sent]) => [code, sent && twin(sent)])) as Refused,
});

function twin<T extends Sent>(sent: T): T {
  if (!sent.arguments) return sent;
  const renamed = Object.entries(sent.arguments).map(([name, value]) => [twins[name] ?? name, value]);
  return { ...sent, arguments: Object.fromEntries(renamed) };
}

const twins: Record<string, string> = { path: "id", id: "path", new_path: "new_id" };
