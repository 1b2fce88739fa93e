/** Figures in the text format of Prometheus (exposition format 0.0.4). Contract, part three, §20. */

/** A metric. */
export type MetricRow = {
  type: "counter" | "gauge" | "histogram";
  help: string;
  /** How the figures of several processes of one service become one: sizes of the same store are no sum. */
  joined: "sum" | "max";
};

export const counter = (help: string): MetricRow => ({ type: "counter", help, joined: "sum" });
export const gauge = (help: string): MetricRow => ({ type: "gauge", help, joined: "sum" });
/** Of the store, which all processes see alike. */
export const shared = (help: string): MetricRow => ({ type: "gauge", help, joined: "max" });

/** By name. */
export type MetricRows = Readonly<Record<string, MetricRow>>;

/** One figure. `suffix` is that of a histogram's series. */
export type Sample = { name: string; value: number; labels?: Record<string, string>; suffix?: string };

/** The figures of several processes as those of one service. */
export function joinSamples(rows: MetricRows, processes: readonly (readonly Sample[])[]): Sample[] {
  const joined = new Map<string, Sample>();
  for (const sample of processes.flat()) {
    const key = keyOf(sample);
    const other = joined.get(key);
    if (!other) joined.set(key, { ...sample });
    else if (rows[sample.name]?.joined === "max") other.value = Math.max(other.value, sample.value);
    else other.value += sample.value;
  }
  return [...joined.values()];
}

/** The text of the figures, each metric once, in the order of the table. */
export function metricsText(rows: MetricRows, samples: readonly Sample[]): string {
  const byName = Map.groupBy(samples, ({ name }) => name);
  return Object.entries(rows)
    .map(([name, { type, help }]) => {
      const lines = (byName.get(name) ?? []).map((sample) => `${keyOf(sample)} ${sample.value}\n`);
      return lines.length > 0 ? `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}` : "";
    })
    .join("");
}

function keyOf({ name, suffix = "", labels = {} }: Sample): string {
  const written = Object.entries(labels).map(([label, value]) => `${label}="${escaped(value)}"`);
  return written.length > 0 ? `${name}${suffix}{${written.join(",")}}` : `${name}${suffix}`;
}

const escaped = (value: string): string =>
  value.replace(/[\\"\n]/g, (found) => (found === "\n" ? "\\n" : `\\${found}`));

/** A figure without labels; none where it is not available. */
export const figure = (name: string, value: number | string | undefined): Sample[] =>
  typeof value === "number" ? [{ name, value }] : [];

/** A figure for each outcome. */
export const byOutcome = (name: string, outcomes: Readonly<Record<string, number>>): Sample[] =>
  Object.entries(outcomes).map(([outcome, value]) => ({ name, labels: { outcome }, value }));

/** What is answered; undefined while it is not, since then the other figures are wanted most. */
export const ifAnswered = <T>(asked: Promise<T>): Promise<T | undefined> => asked.catch(() => undefined);
