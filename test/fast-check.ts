/** fast-check with the seed of all tests: each property imports it from here. */
import fc from "fast-check";
import { seed } from "./random.ts";

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });

export { fc };
