import type { FileObject } from "../../../client/src/api.ts";
import { formatting } from "../language/language.ts";
import { say } from "../language/say.ts";

/** Formats numbers, sizes and times in the browser's locale. */

const units = ["B", "KB", "MB", "GB", "TB", "PB"];

export function formatBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const amount = bytes / 1000 ** power;
  const digits = power === 0 || amount >= 100 ? 0 : 1;
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: false };
  return `${amount.toLocaleString(formatting, options)} ${units[power]}`;
}

/** `640 × 480, 81 KB`: the pixels of an image, and the bytes of any file. */
export function formatSize({ exif: { Width, Height }, filesize }: Pick<FileObject, "exif" | "filesize">): string {
  return Width && Height ? `${Width} × ${Height}, ${formatBytes(filesize)}` : formatBytes(filesize);
}

export const formatCount = (count: number): string => count.toLocaleString(formatting);

const moment = new Intl.DateTimeFormat(formatting, { dateStyle: "medium", timeStyle: "short" });
const second = new Intl.DateTimeFormat(formatting, { dateStyle: "medium", timeStyle: "medium" });
const exactMoment = new Intl.DateTimeFormat(formatting, { dateStyle: "full", timeStyle: "long" });
const relative = new Intl.RelativeTimeFormat(formatting, { numeric: "auto" });

export const formatMoment = (seconds: number): string => moment.format(seconds * 1000);
export const formatSecond = (seconds: number): string => second.format(seconds * 1000);
export const formatExactly = (seconds: number): string => exactMoment.format(seconds * 1000);

const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
];

/** "3 minutes ago", "in 2 days". */
export function formatAgo(seconds: number, nowSeconds = Date.now() / 1000): string {
  const difference = seconds - nowSeconds;
  const step = steps.find(([, length]) => Math.abs(difference) >= length);
  return step ? relative.format(Math.round(difference / step[1]), step[0]) : say("just now");
}

/** "3 minutes": the largest unit that it has. */
export function formatDuration(seconds: number): string {
  const [unit, length] = steps.find(([, each]) => seconds >= each) ?? (["second", 1] as const);
  const options = { style: "unit", unit, unitDisplay: "long" } as const;
  return Math.floor(seconds / length).toLocaleString(formatting, options);
}

/** Formats Unix seconds for `<input type="datetime-local">`, in local time. */
export function toLocalInput(seconds: number): string {
  const at = new Date(seconds * 1000);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

export const fromLocalInput = (text: string): number | undefined => {
  const milliseconds = Date.parse(text);
  return Number.isNaN(milliseconds) ? undefined : Math.floor(milliseconds / 1000);
};
