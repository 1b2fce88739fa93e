import { writes } from "../core/http/auth.ts";
import { parseArgument } from "../core/http/json-text.ts";
import { data } from "../core/http/reply.ts";
import { argument, type Route, route, writerOf } from "../core/http/route.ts";
import type { Json } from "../core/lib/json.ts";
import { Type } from "../core/lib/json-schema.ts";
import { maxPlanned } from "../type/type.ts";
import type { MigrationStore } from "./migration.ts";
import { acceptedSteps, maxSteps, parseSteps, type Step } from "./step.ts";
import { donePlanFields, donePlanObject, planStep, undonePlanObject } from "./wire.ts";

const steps = argument(
  Type.Unsafe<Step[]>({ ...Type.Array(planStep, { description: `1 to ${maxSteps} steps, in order.` }) }),
  (sent, name) => {
    const value: Json | undefined = sent.get(name);
    return parseSteps(typeof value === "string" ? parseArgument(name, value, acceptedSteps) : value);
  },
);

/** /api/types/migrate: fields change with their entries. Contract, part four, §30. */
export function migrationRoutes(migrations: MigrationStore): Route[] {
  const url = "/api/types/migrate";
  const need = writes("admin");
  const refused: Route["problems"] = [
    "type_not_found",
    "plan_too_large",
    "schema_invalid",
    "data_too_large",
    "type_in_use",
    "type_too_costly",
  ];
  return [
    route({
      method: "POST",
      url,
      summary: "Rename, move, convert, fill and drop fields of a type with its entries",
      need,
      arguments: {
        steps,
        dryRun: Type.Optional(
          Type.Boolean({ description: "True says what would change and fail, and writes nothing." }),
        ),
      },
      reply: donePlanObject,
      problems: [...refused, "migration_invalid", "busy"],
      handle: async (call, { steps, dryRun = false }) => {
        const done = dryRun
          ? { ...(await migrations.try(steps, maxPlanned, call.asker())), group: null }
          : await migrations.run(steps, maxPlanned, writerOf(call));
        return data(JSON.stringify(donePlanFields(done)), { cacheControl: "no-store" });
      },
    }),
    route({
      method: "POST",
      url: `${url}/undo`,
      summary: "Undo a migration",
      need,
      arguments: { group: Type.Integer({ minimum: 1, description: "The `group` that the migration answered." }) },
      reply: undonePlanObject,
      problems: [
        "migration_not_found",
        "migration_changed",
        "revision_not_found",
        "schema_invalid",
        "type_in_use",
        "type_too_costly",
      ],
      handle: async (call, { group }) =>
        data(JSON.stringify(await migrations.undo(group, writerOf(call))), { cacheControl: "no-store" }),
    }),
  ];
}
