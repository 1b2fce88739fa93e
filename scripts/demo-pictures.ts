/**
 * Draws the two pictures of the sample site into assets/demo/uploads/. They are in the repository: run this only to change them,
 * with node scripts/demo-pictures.ts
 */
import sharp from "sharp";

const width = 1600;
const height = 1000;

/** Deterministic numbers from 0 to below 1. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1664525 + 1013904223) % 4294967296;
    return state / 4294967296;
  };
}

function metropolis(): string {
  const random = chance(7);
  const rows = [0.35, 0.55, 0.8].map((depth) => {
    const shade = `hsl(24 35% ${Math.round(34 - depth * 30)}%)`;
    const towers: string[] = [];
    for (let x = -40; x < width; ) {
      const w = 60 + random() * 110;
      const h = (0.3 + random() * 0.55) * height * (1.15 - depth * 0.5);
      towers.push(
        `<path fill="${shade}" d="M${x} ${height}V${height - h * 0.8}l${w * 0.15} 0V${height - h}l${w * 0.35} -${h * 0.14}l${w * 0.35} ${h * 0.14}V${height - h * 0.8}l${w * 0.15} 0V${height}z"/>`,
      );
      for (let y = height - h * 0.75; y < height; y += 34) {
        for (let at = x + 12; at < x + w - 16; at += 22) {
          if (random() < 0.22 * depth + 0.05)
            towers.push(
              `<rect x="${at}" y="${y}" width="8" height="14" fill="#ffd98a" opacity="${0.35 + depth * 0.5}"/>`,
            );
        }
      }
      x += w + 6 - depth * 20;
    }
    return towers.join("");
  });
  const beams = [-38, -14, 9, 30].map(
    (angle) => `<path d="M800 1000L760 -900h80z" fill="#fff3cf" opacity=".10" transform="rotate(${angle} 800 1000)"/>`,
  );
  return `<rect width="100%" height="100%" fill="url(#sky)"/><circle cx="800" cy="430" r="190" fill="#ffe6ad" opacity=".9"/>${beams.join("")}${rows.join("")}
    <linearGradient id="sky" x2="0" y2="1"><stop stop-color="#2b1d2e"/><stop offset=".55" stop-color="#a4512f"/><stop offset="1" stop-color="#f0b25f"/></linearGradient>`;
}

function solaris(): string {
  const random = chance(3);
  const stars = Array.from(
    { length: 260 },
    () =>
      `<circle cx="${random() * width}" cy="${random() * 560}" r="${0.6 + random() * 1.7}" fill="#fff" opacity="${0.3 + random() * 0.6}"/>`,
  );
  const waves = Array.from({ length: 26 }, (_, n) => {
    const y = 560 + n * 18 + n * n * 0.12;
    const points = Array.from(
      { length: 41 },
      (_, i) => `${i * 40} ${y + Math.sin(i * (0.5 - n * 0.008) + n * 1.7) * (4 + n * 1.1)}`,
    );
    return `<path d="M0 ${height}L${points.join("L")}L${width} ${height}z" fill="hsl(${196 + n * 2.4} ${52 - n}% ${46 - n * 1.25}%)"/>`;
  });
  return `<rect width="100%" height="100%" fill="url(#space)"/>${stars.join("")}<circle cx="1130" cy="300" r="150" fill="url(#red)"/><circle cx="470" cy="210" r="66" fill="url(#blue)"/>
    <g fill="#d9e4ea"><rect x="700" y="392" width="170" height="26" rx="13"/><rect x="768" y="350" width="34" height="110" rx="17"/><circle cx="785" cy="405" r="44" fill="#eef5f8"/></g>${waves.join("")}
    <linearGradient id="space" x2="0" y2="1"><stop stop-color="#060b18"/><stop offset=".6" stop-color="#243a63"/></linearGradient>
    <radialGradient id="red" cx=".35" cy=".35"><stop stop-color="#ffc9a3"/><stop offset="1" stop-color="#b3372b"/></radialGradient>
    <radialGradient id="blue" cx=".35" cy=".35"><stop stop-color="#e8fbff"/><stop offset="1" stop-color="#3d86c6"/></radialGradient>`;
}

async function draw(name: string, content: string): Promise<void> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${content}</svg>`;
  const file = new URL(`../assets/demo/uploads/movies/${name}.jpg`, import.meta.url).pathname;
  await sharp(Buffer.from(svg)).jpeg({ quality: 78, mozjpeg: true }).toFile(file);
}

await draw("metropolis", metropolis());
await draw("solaris", solaris());
