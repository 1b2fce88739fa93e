/** Latency over size as an SVG: logarithmic axes, one panel for each store, one line for each list. */

/** `isRefused` marks a point that is the time of a refusal. */
export type Point = { size: number; ms: number; isRefused: boolean };
/** Points by growing size. */
export type Series = { name: string; points: readonly Point[] };
export type Panel = { title: string; series: readonly Series[] };

const width = 800;
const [left, right, top, panelHeight, gap] = [58, 290, 34, 230, 56];
const labelHeight = 16;

/** A drawing that is readable on light and dark pages. `about` says what it shows, to those who do not see it. */
export function chart(about: string, panels: readonly Panel[]): string {
  const points = panels.flatMap(({ series }) => series.flatMap(({ points }) => points));
  const names = [...new Set(panels.flatMap(({ series }) => series.map(({ name }) => name)))];
  const x = scale([...new Set(points.map(({ size }) => size))], left, width - right);
  const y = (at: number) => scale(decades(points.map(({ ms }) => ms)), at + panelHeight, at);
  const drawn = panels.map((panel, i) => {
    const at = top + i * (panelHeight + gap);
    return drawPanel(panel, { x, y: y(at), top: at, colorOf: (name) => names.indexOf(name) % colors.length });
  });
  const height = top + panels.length * (panelHeight + gap) - gap / 2;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="about">
<title id="about">${escaped(about)}</title>
<style>
${style}
</style>
<rect class="page" width="${width}" height="${height}"/>
${drawn.join("\n")}
</svg>
`;
}

/** One color for each line, for light and for dark pages. */
const colors = [
  ["#2a78d6", "#3987e5"],
  ["#008300", "#2fa84f"],
  ["#e87ba4", "#d55181"],
  ["#eda100", "#c98500"],
  ["#1baf7a", "#199e70"],
  ["#eb6834", "#d95926"],
  ["#4a3aa7", "#9085e9"],
  ["#e34948", "#e66767"],
] as const;

const colorRules = (theme: 0 | 1): string => colors.map((pair, i) => `.c${i}{--line:${pair[theme]}}`).join("");
const style = `text{font:12px system-ui,sans-serif;fill:#52514e}.title{font-weight:600;fill:#0b0b0b}
.page{fill:#fcfcfb}.grid{stroke:#e4e3df}.line{stroke:var(--line);stroke-width:2;fill:none;stroke-linejoin:round}
.refused{stroke-dasharray:4 4}.dot{fill:var(--line);stroke:var(--line);stroke-width:2}.hollow{fill:#fcfcfb}
${colorRules(0)}
@media (prefers-color-scheme:dark){text{fill:#c3c2b7}.title{fill:#fff}.page,.hollow{fill:#1a1a19}.grid{stroke:#383835}
${colorRules(1)}}`;

type Scale = { ticks: readonly number[]; at(value: number): number };
type Place = { x: Scale; y: Scale; top: number; colorOf(name: string): number };

/** Logarithmic, from the first of the ticks to the last. */
function scale(ticks: readonly number[], from: number, to: number): Scale {
  const [first, last] = [Math.log(ticks[0] as number), Math.log(ticks.at(-1) as number)];
  return { ticks, at: (value) => from + ((Math.log(value) - first) / (last - first || 1)) * (to - from) };
}

/** The powers of ten around the values. */
function decades(values: readonly number[]): number[] {
  const first = Math.floor(Math.log10(Math.min(...values)));
  const last = Math.ceil(Math.log10(Math.max(...values)));
  return Array.from({ length: last - first + 1 }, (_, i) => 10 ** (first + i));
}

function drawPanel({ title, series }: Panel, { x, y, top, colorOf }: Place): string {
  const bottom = top + panelHeight;
  const rows = y.ticks.map((ms) => {
    const at = round(y.at(ms));
    const label = `<text x="${left - 8}" y="${at + 4}" text-anchor="end">${ms.toLocaleString("en")}</text>`;
    return `<path class="grid" d="M${left} ${at}H${width - right}"/>${label}`;
  });
  const columns = x.ticks.map((size) => {
    const at = round(x.at(size));
    return `<text x="${at}" y="${bottom + 18}" text-anchor="middle">${size.toLocaleString("en")}</text>`;
  });
  const labels = spread(series.map(({ points }) => y.at((points.at(-1) as Point).ms)));
  const lines = series.map((each, i) => drawLine(each, x, y, labels[i] as number, colorOf(each.name)));
  const heading = `<text class="title" x="${left}" y="${top - 12}">${escaped(title)}: milliseconds, by entries</text>`;
  return [`<g>${heading}`, ...rows, ...columns, ...lines, "</g>"].join("\n");
}

function drawLine({ name, points }: Series, x: Scale, y: Scale, labelAt: number, color: number): string {
  const placeOf = ({ size, ms }: Point): string => `${round(x.at(size))} ${round(y.at(ms))}`;
  const parts = points.slice(1).map((point, i) => {
    const kind = point.isRefused ? "line refused" : "line";
    return `<path class="${kind}" d="M${placeOf(points[i] as Point)}L${placeOf(point)}"/>`;
  });
  const dots = points.map((point) => {
    const [cx, cy] = placeOf(point).split(" ");
    return `<circle class="${point.isRefused ? "dot hollow" : "dot"}" cx="${cx}" cy="${cy}" r="3"/>`;
  });
  const last = points.at(-1) as Point;
  const [end, start] = [width - right + 8, width - right + 30];
  const lead = `<path class="line" d="M${end} ${round(y.at(last.ms))}L${start - 6} ${round(labelAt)}"/>`;
  const at = last.size === x.ticks.at(-1) ? "" : ` at ${last.size.toLocaleString("en")}`;
  const figure = (last.isRefused ? "refused" : `${digits(last.ms)} ms`) + at;
  const label = `<text x="${start}" y="${round(labelAt + 4)}">${escaped(name)}: ${figure}</text>`;
  return `<g class="c${color}">${[...parts, lead, ...dots, label].join("")}</g>`;
}

/** The places of labels, none over another: those that would overlap stand together around their middle. */
function spread(places: readonly number[]): number[] {
  type Group = { members: number[]; middle: number };
  const topOf = ({ members, middle }: Group): number => middle - (members.length / 2) * labelHeight;
  const bottomOf = ({ members, middle }: Group): number => middle + (members.length / 2) * labelHeight;
  const mean = (members: number[]): number =>
    members.reduce((sum, i) => sum + (places[i] as number), 0) / members.length;
  const groups: Group[] = [];
  for (const i of places.map((_, i) => i).sort((a, b) => (places[a] as number) - (places[b] as number))) {
    let last: Group = { members: [i], middle: places[i] as number };
    for (let above = groups.at(-1); above && bottomOf(above) > topOf(last); above = groups.at(-1)) {
      groups.pop();
      const members = [...above.members, ...last.members];
      last = { members, middle: mean(members) };
    }
    groups.push(last);
  }
  const result = [...places];
  for (const group of groups) {
    for (const [n, i] of group.members.entries()) result[i] = topOf(group) + (n + 0.5) * labelHeight;
  }
  return result;
}

const digits = (ms: number): string => (ms >= 100 ? Math.round(ms).toLocaleString("en") : ms.toFixed(ms >= 10 ? 1 : 2));
const round = (place: number): number => Math.round(place * 10) / 10;
const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
