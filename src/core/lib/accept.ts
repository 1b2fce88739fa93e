/** What a client accepts, from its Accept header. RFC 9110 §12.5.1. */
export type Accepted = {
  /** 0 to 1, by the most specific range that matches; 0 for a type that is not accepted. */
  weightOf(type: string): number;
  /** Whether the header names the exact type, not only a range that includes it. */
  names(type: string): boolean;
};

/** Parses the header; without one everything is accepted. If a range is repeated, its highest weight counts. */
export function readAccept(header: string | undefined): Accepted {
  const weights = readWeights(header ?? "*/*");
  return {
    weightOf: (type) => weights.get(type) ?? weights.get(type.replace(/\/.*/, "/*")) ?? weights.get("*/*") ?? 0,
    names: (type) => weights.has(type),
  };
}

/** The weight of a coding in the header Accept-Encoding, 0 when it is not accepted. RFC 9110 §12.5.3. */
export function codingWeights(header: string): (coding: string) => number {
  const weights = readWeights(header);
  return (coding) => weights.get(coding) ?? weights.get("*") ?? 0;
}

/** The names of a list with their weights (RFC 9110 §12.4.2), in lower case. */
function readWeights(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(",")) {
    const [name = "", ...parameters] = part.split(";").map((text) => text.trim());
    weights.set(name, Math.max(weights.get(name) ?? 0, weightIn(parameters)));
  }
  return weights;
}

/** 1 when the weight is absent or unreadable. */
function weightIn(parameters: readonly string[]): number {
  const text = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
  return text !== undefined && /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(text) ? Number(text) : 1;
}
