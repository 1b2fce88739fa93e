import type { App, Preparation } from "../app.ts";
import { noCompanions } from "../companions.ts";
import { atLocalhost, localUrl } from "../core/lib/host.ts";
import { asLog, logError } from "../core/lib/log.ts";
import { isProblem } from "../core/problem.ts";
import { type DemoTokens, demoLocales, fillSite, finishDemo } from "../demo.ts";
import type { Settings } from "../settings.ts";
import type { Command, CommandCall } from "./command.ts";
import { explainFailure } from "./failure.ts";
import { bold, formatTable, plural, print } from "./print.ts";
import { sameStore, storeName } from "./same-store.ts";
import { callSettings, warnOfPassedOver } from "./setting-sources.ts";
import { nowSeconds } from "./store.ts";
import { version } from "./version.ts";
import { companions, isWorker, joinTeam, onTeam, serveWorkers } from "./workers.ts";

export const serveCommand: Command = {
  name: "serve",
  summary: "Start the service",
  details:
    "Runs until it gets SIGTERM or SIGINT; then it finishes the requests under way and stops. A second signal\n" +
    "stops it at once.",
  takes: [],
  options: {
    new: { help: "Begin an empty store where the database is missing beside bytes of files." },
    demo: { help: "Fill an empty store with a small sample site, and print one token of each kind." },
  },
  examples: [
    "octavo serve --demo",
    "octavo serve --port 9000 --data /srv/octavo",
    "octavo serve --workers 4",
    "OCTAVO_LOG=off octavo serve",
  ],
  run: (call) => (isWorker() ? onTeam(serve(call)) : serve(call)),
};

async function serve(given: CommandCall): Promise<void> {
  logCrashes();
  const { io, switches } = given;
  const read = callSettings(given);
  const isSample = switches.has("demo") && read.locales.length === 0;
  const settings: Settings = {
    ...read,
    ...(isSample && { locales: demoLocales }),
    ...(switches.has("new") && { newStore: "on" }),
  };
  warnOfPassedOver(given);
  const call = isForPerson(given, settings) ? given : { ...given, io: { ...io, stdout: asLog(io.stdout) } };
  if (settings.workers > 1 && !isWorker()) return serveWorkers(settings);
  const { build } = await import("../app.ts");
  const team = isWorker() ? companions(settings) : noCompanions;
  const app = await build(
    settings,
    team,
    call.switches.has("demo") && team.leads ? fillFirst(settings.locales) : undefined,
  );
  const stopping = stopOnSignal(app);
  const begin = async (): Promise<void> => {
    try {
      await announce(app, settings, call);
    } catch (error) {
      if (stopping.aborted) return;
      await app.close();
      throw error;
    }
  };
  if (isWorker()) joinTeam(app, begin);
  else await begin();
}

/** True where words are printed: the sample site is for a person, and with log=off standard output is not the log. */
const isForPerson = ({ switches, io }: CommandCall, { log }: Settings): boolean =>
  switches.has("demo") || log === "off" || io.stdout.isTTY === true;

/** Before it listens: who finds the service ready finds the sample site whole. The announcement reports damage. */
const fillFirst =
  (locales: readonly string[]): Preparation =>
  (stores) =>
    fillSite(stores, nowSeconds(), locales).catch((error: unknown) => {
      if (!isProblem(error, "store_damaged")) throw error;
    });

/** An error that nothing catches ends the process, and is a line of the log as others are. */
function logCrashes(): void {
  process.on("uncaughtException", (error) => {
    logError("crash", error);
    process.exit(1);
  });
}

/** Ctrl-C under npm arrives twice: from the terminal, and forwarded by npm. Both count as one. */
const sameSignalMs = 300;

function stopOnSignal(app: App): AbortSignal {
  const stopping = new AbortController();
  let firstMs = 0;
  const stop = (): void => {
    if (stopping.signal.aborted) {
      if (performance.now() - firstMs > sameSignalMs) process.exit(1);
      return;
    }
    firstMs = performance.now();
    stopping.abort();
    app.close().then(
      () => process.exit(0),
      (error: unknown) => {
        logError("stop", error);
        process.exit(1);
      },
    );
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  return stopping.signal;
}

// ---------------------------------------------------------------------------------------------- output for people

/** The address is the last on standard output, for people and for programs that wait for it. */
async function announce(app: App, settings: Settings, call: CommandCall): Promise<void> {
  try {
    await printStore(app, settings, call);
  } catch (error) {
    // Data that can still be read is served.
    if (!isProblem(error, "store_damaged")) throw error;
    print(call, `Octavo: ${explainFailure(error)}.`);
  }
  const answers = bold(call, `Octavo ${version} answers on ${localUrl(app.url)}`);
  // In the log a word keeps the address apart from the end of the line.
  print(call, isForPerson(call, settings) ? answers : `${answers} (process ${process.pid})`);
}

/** Prints what the store holds, and how to access it. */
async function printStore(app: App, settings: Settings, call: CommandCall): Promise<void> {
  const isDemo = call.switches.has("demo");
  const url = localUrl(app.url);
  // The files of the sample site were stored before there was a tree that shows them.
  if (isDemo) await app.treeShows((await app.stores.events.bounds()).newest);
  const isFilled = isDemo && (await finishDemo(app.stores, nowSeconds(), (tokens) => printDemo(call, url, tokens)));
  const hasTokens = isFilled || (await printState(app, settings, call));
  const needsLink = isFilled || (!hasTokens && !(await app.stores.people.hasOwner()));
  if (settings.adminPage === "on" && needsLink) printSignInLink(call, atLocalhost(app.signInLink({ asksOwner: true })));
}

function printDemo(call: CommandCall, url: string, tokens: DemoTokens): void {
  print(call, "The store was empty. It now holds a small sample site and one token of each kind.");
  print(call, "The secrets are shown this once; only their hashes are stored.");
  print(call);
  print(call, indent(formatTable(Object.entries(tokens))));
  print(call);
  print(call, "Read an entry, filter a collection, create an entry, upload a file, fetch a picture in another shape:");
  for (const line of demoCalls(url, tokens)) {
    print(call);
    print(call, indent(line));
  }
  print(call);
}

/** Example requests to copy and paste, for the sample site. */
function demoCalls(url: string, { delivery, management, access, images }: DemoTokens): string[] {
  // Without -g curl reads brackets as ranges, also those of an IPv6 address.
  const curl = url.includes("[") ? "curl -g" : "curl";
  const filter = [
    "filter[where][key]=year",
    "filter[where][expr]=gte",
    "filter[where][value]=1979",
    "filter[order_by][field]=year",
    "filter[order_by][direction]=desc",
  ];
  const body = {
    id: "movies/dune",
    token: management,
    access_token: access,
    data: { title: "Dune", year: 2021, genres: ["science fiction", "adventure"] },
  };
  return [
    `${curl} '${url}/api/entries?id=movies/alien&token=${delivery}'`,
    `curl -g '${url}/api/entries?id=movies&${filter.join("&")}&token=${delivery}'`,
    `${curl} '${url}/api/entries' -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`,
    `echo hello | ${curl} '${url}/api/files' -F folder=notes -F token=${management} -F access_token=${access} -F 'file=@-;filename=hello.txt'`,
    `${curl} -o solaris.webp '${url}/api/images/movies/solaris.jpg?w=400&h=300&fit=crop&fm=webp&token=${images}'`,
  ];
}

function printSignInLink(call: CommandCall, link: string): void {
  print(call, "Or manage it all in the browser. This link makes its owner, once, within ten minutes:");
  print(call);
  print(call, indent(link));
  print(call);
}

/** Answers whether any token exists. */
async function printState({ stores }: App, settings: Settings, call: CommandCall): Promise<boolean> {
  const same = sameStore(call);
  const { entries, files, tokens } = {
    entries: plural(await stores.entries.count(), "entry", "entries"),
    files: plural(await stores.files.count(), "file"),
    tokens: (await stores.tokens.list()).length,
  };
  const create = (scope: string) => indent(same.line(`token create ${scope}`));
  const secrets = same.secrets.length === 0 ? "" : `, with the same ${same.secrets.join(", ")} in the environment`;
  print(call, `The store in ${storeName(settings)} holds ${entries}, ${files} and ${plural(tokens, "token")}.`);
  if (tokens > 0) {
    print(
      call,
      `Secrets are shown only when a token is made. Another token is made beside the running service${secrets}:`,
    );
    print(call, create("--kind delivery --resources entries,registry,files"));
    return true;
  }
  print(call, `Nothing can be read without a token. The first ones are made beside the running service${secrets}:`);
  print(call, create("--kind management --resources entries,registry,files,folders,admin"));
  print(call, create("--kind access"));
  return false;
}

const indent = (text: string): string => text.replace(/^(?=.)/gm, "  ");
