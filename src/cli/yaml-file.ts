import { parseYaml, type Yaml, YamlError } from "../core/lib/yaml.ts";
import { UsageError } from "./command.ts";

/** YAML 1.2 of files. Apart, and imported when it is needed: each start of a command would load the parser. */

/** Throws UsageError. */
export function yamlIn(text: string, name: string): Yaml {
  try {
    return parseYaml(text);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new UsageError(`${name} is not YAML: ${error.message}`);
  }
}
