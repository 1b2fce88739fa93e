/** What tests use of the library `xliff`, which has no types. */
declare module "xliff" {
  type Xliff = {
    sourceLanguage: string;
    targetLanguage: string;
    resources: Record<string, Record<string, unknown>>;
  };
  type Layout = { indent?: string; targetXliffVersion?: string };
  export function xliff2js(file: string): Promise<Xliff>;
  export function xliff12ToJs(file: string): Promise<Xliff>;
  export function js2xliff(js: Xliff, layout?: Layout): Promise<string>;
  export function jsToXliff12(js: Xliff, layout?: Layout): Promise<string>;
}
