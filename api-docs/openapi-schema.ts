type Node = Record<string, unknown>;

/** The schemas of the description. A schema with a name, its `$id`, is written once and referred to. */
export class Schemas {
  readonly named: Record<string, unknown> = {};

  /** The schema as the description has it. Throws for two different schemas with one name. */
  use(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map((item) => this.use(item));
    if (typeof schema !== "object" || schema === null) return schema;
    const { $id, ...plain } = schema as { $id?: string };
    const used = Object.fromEntries(Object.entries(plain).map(([key, value]) => [key, this.use(value)]));
    return $id === undefined ? used : this.name($id, used);
  }

  /** A reference to a schema that is used under this name. */
  name(name: string, used: Node): Node {
    this.named[name] ??= used;
    if (JSON.stringify(this.named[name]) !== JSON.stringify(used)) throw new Error(`two schemas have the name ${name}`);
    return { $ref: `#/components/schemas/${name}` };
  }
}
