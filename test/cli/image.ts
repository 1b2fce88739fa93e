import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder } from "../harness.ts";

/** An image of deploy/Dockerfile without a registry: its file system, made by the file's own steps, and run in a chroot. */

const root = new URL("../../", import.meta.url).pathname;

/** The reason why this machine cannot run one; undefined where it can. */
export function lacksImages(): string | undefined {
  if (process.getuid?.() !== 0) return "it needs root, for chroot and mounts";
  if (spawnSync("unshare", ["-m", "true"]).status !== 0) return "unshare -m is not allowed here";
  if (!/VERSION_CODENAME=bookworm/.test(readFileSync("/etc/os-release", "utf8"))) return "the base is Debian bookworm";
  return undefined;
}

type Stage = { from: string; steps: [word: string, rest: string][] };

/** The stages of a Dockerfile, by their names; the last one is `""`. */
function parseDockerfile(text: string): Map<string, Stage> {
  const stages = new Map<string, Stage>();
  const lines = text
    .replace(/^#.*\n/gm, "")
    .replace(/\\\n\s*/g, "")
    .split("\n");
  let stage: Stage = { from: "", steps: [] };
  for (const line of lines.filter(Boolean)) {
    const [, word = "", rest = ""] = /^([A-Z]+) (.+)$/.exec(line) ?? [];
    if (word === "") throw new Error(`no instruction: ${line}`);
    if (word !== "FROM") stage.steps.push([word, rest]);
    else {
      const [from = "", name = ""] = rest.split(" AS ");
      stage = { from, steps: [] };
      stages.set(name, stage);
    }
  }
  return stages;
}

/** Programs of the base that the file's steps and a start use; with them come their libraries and those of Node. */
const programs = ["/usr/bin/dash", "/usr/bin/env", "/usr/bin/install", "/usr/bin/id", "/usr/bin/touch"];

/** A small part of debian:bookworm-slim, from this machine, which is that release. */
function makeBase(folder: string, more: readonly string[]): void {
  for (const name of ["bin", "lib", "lib64"]) {
    mkdirSync(join(folder, "usr", name), { recursive: true });
    symlinkSync(`usr/${name}`, join(folder, name));
  }
  for (const name of ["tmp", "proc", "dev"]) mkdirSync(join(folder, name));
  const libraries = [...programs, ...more].flatMap((program) =>
    [...execFileSync("ldd", [program], { encoding: "utf8" }).matchAll(/(?<=\s)\/\S+/g)].map(([path]) => path),
  );
  for (const path of new Set([...programs, ...libraries])) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(realpathSync(path), join(folder, path));
  }
  symlinkSync("dash", join(folder, "usr/bin/sh"));
}

/** What the last stage says about a start. */
type Image = { folder: string; env: string[]; user: string; cwd: string; health: string[]; command: string[] };

/**
 * Makes the file system. The steps of the first stage run in this checkout, which `npm ci` has filled already and
 * `npm run package` has packed: both are left out. Those of the last one run in it.
 */
export function buildImage(): Image {
  const stages = parseDockerfile(readFileSync(join(root, "deploy/Dockerfile"), "utf8"));
  const [build, last] = [stages.get("build") as Stage, stages.get("") as Stage];
  const built = temporaryFolder();
  for (const [word, rest] of build.steps) {
    if (word !== "RUN") continue;
    for (const command of rest.split(" && ").filter((each) => !/^npm (ci|run package)/.test(each))) {
      const here = command
        .replaceAll("/opt/octavo", join(built, "opt/octavo"))
        .replace("npm install", "npm install --prefer-offline");
      execFileSync("sh", ["-ec", here], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
    }
  }
  const image: Image = { folder: temporaryFolder(), env: [], user: "", cwd: "/", health: [], command: [] };
  execFileSync("chmod", ["0755", image.folder]);
  makeBase(image.folder, [join(built, "opt/octavo/node_modules/.bin/node")]);
  for (const [word, rest] of last.steps) apply(image, word, rest, built);
  rmSync(built, { recursive: true });
  return image;
}

function apply(image: Image, word: string, rest: string, built: string): void {
  const [, from = "", to = ""] = /^--from=build (\S+) (\S+)$/.exec(rest) ?? [];
  if (word === "COPY") {
    mkdirSync(dirname(join(image.folder, to)), { recursive: true });
    execFileSync("cp", ["-al", join(built, from), join(image.folder, to)]);
    execFileSync("chown", ["-hR", "0:0", join(image.folder, to)]);
  } else if (word === "RUN") execFileSync("chroot", [image.folder, "/bin/sh", "-ec", rest], { stdio: "inherit" });
  else if (word === "ENV") image.env.push(...rest.split(" "));
  else if (word === "WORKDIR") image.cwd = rest;
  else if (word === "USER") image.user = rest;
  else if (word === "CMD") image.command = JSON.parse(rest);
  else if (word === "HEALTHCHECK") image.health = JSON.parse(rest.slice(rest.indexOf("[")));
  else if (!["VOLUME", "EXPOSE"].includes(word)) throw new Error(`the test does not know ${word}`);
}

/** A container: the root read-only, /data from a volume, the image's user and variables, and no others. */
export function runIn(image: Image, volume: string, env: readonly string[], words: readonly string[]): ChildProcess {
  const at = (path: string) => `"$1/${path}"`;
  const script = [
    'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1"',
    `mount --bind "$2" ${at("data")} && mount -t tmpfs tmpfs ${at("tmp")}`,
    `mount --rbind /proc ${at("proc")} && mount --rbind /dev ${at("dev")}`,
    'root=$1 user=$3 cwd=$4; shift 4; exec chroot --userspec="$user" "$root" /usr/bin/env -i "$@"',
  ].join(" && ");
  const inside = [...image.env, ...env, "/bin/sh", "-c", 'cd "$0" && exec "$@"', image.cwd, ...words];
  return spawn("unshare", ["-m", "sh", "-ec", script, "sh", image.folder, volume, image.user, image.cwd, ...inside], {
    stdio: ["ignore", "pipe", "pipe"],
  });
}
