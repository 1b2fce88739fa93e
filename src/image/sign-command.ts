import { asUsage, type Command, type CommandCall, jsonOption, UsageError } from "../cli/command.ts";
import { readExpiry } from "../cli/expiry.ts";
import { print, printJson } from "../cli/print.ts";
import { callSettings } from "../cli/setting-sources.ts";
import { nowSeconds, withExistingStores } from "../cli/store.ts";
import { encodePath, parsePathBelowRoot, uploadsUrl } from "../core/path.ts";
import type { Settings } from "../settings.ts";
import { parseModifiers } from "./modifier.ts";
import { parseImageDefaults, parseImagePresets } from "./settings.ts";
import { imageArgumentIn, signatureOf } from "./signature.ts";

export const signCommand: Command = {
  name: "sign",
  summary: "Print an address that opens an image, or a private file, without a token",
  details:
    "PATH is the file's path below the uploads. The signature holds for these arguments and no others. The key is the\n" +
    "setting signing_key, otherwise the generated key of the store.",
  takes: ["PATH"],
  options: {
    args: { value: "ARGUMENTS", help: "Image arguments, as w=300&fm=webp." },
    expires: { value: "WHEN", help: "After 30m, 12h, 90d or 2w, at an ISO 8601 date, or never." },
    file: { help: "Sign the address of the file itself, /project/uploads/…, in place of the image's." },
    json: jsonOption,
  },
  examples: [
    "octavo sign movies/solaris.jpg --args 'w=300&fm=webp' --expires 12h",
    "octavo sign movies/solaris.jpg --file --public-url https://content.example.org",
  ],
  run: sign,
};

async function sign(call: CommandCall): Promise<void> {
  const settings = callSettings(call);
  const path = parsePathBelowRoot("PATH", call.positionals[0] as string);
  const args = readArguments(call.options.args ?? "");
  const isFile = call.switches.has("file");
  if (isFile) refuseImageArguments(args);
  else refuseInvalid(args, settings);
  const expires = readExpiry(call.options.expires, nowSeconds());
  if (expires !== undefined && expires !== null) args.push(["expires", String(expires)]);
  const key = settings.signingKey || (await withExistingStores(settings, async (stores) => stores.signingKey));
  args.push(["s", signatureOf(key, path, args)]);
  const folder = isFile ? uploadsUrl : "api/images";
  const query = args.map((pair) => pair.map(encodeURIComponent).join("=")).join("&");
  const url = `${settings.publicUrl ?? ""}/${folder}/${encodePath(path)}?${query}`;
  if (call.switches.has("json")) printJson(call, { url });
  else print(call, url);
}

function readArguments(text: string): [string, string][] {
  const args = [...new URLSearchParams(text)];
  const own = args.find(([name]) => name === "s" || name === "token" || name === "expires");
  if (own) throw new UsageError(`--args has "${own[0]}"; expected image arguments, as w=300&fm=webp`);
  return args;
}

/** Refuses arguments that a strict request refuses: the signature would be valid, but the argument ignored. */
function refuseInvalid(args: readonly [string, string][], settings: Settings): void {
  const { imageDefaults, imagePresets } = settings;
  const options = {
    isStrict: true,
    defaults: parseImageDefaults(imageDefaults),
    presets: parseImagePresets(imagePresets),
  };
  asUsage(
    () => parseModifiers(new Map(args), options),
    (argument) => `--args: ${argument}`,
  );
}

function refuseImageArguments(args: readonly [string, string][]): void {
  const name = imageArgumentIn(args.map(([name]) => name));
  if (name !== undefined) throw new UsageError(`--args has "${name}"; expected no image arguments beside --file`);
}
