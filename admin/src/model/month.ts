/** Months and their days, in the time zone of this device. */

/** A day as `2026-12-01`. */
export type Day = string;

const two = (number: number): string => String(number).padStart(2, "0");

export const dayOf = (date: Date): Day => `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;

/** Its noon: days at whose midnight the clock changes are days, too. */
export const dateOf = (day: Day): Date => new Date(`${day}T12:00:00`);

export const monthOf = (day: Day): string => day.slice(0, 7);

function addDays(day: Day, days: number): Day {
  const date = dateOf(day);
  date.setDate(date.getDate() + days);
  return dayOf(date);
}

/** The same day of another month, or its last one. */
export function addMonths(day: Day, months: number): Day {
  const date = dateOf(day);
  const last = new Date(date.getFullYear(), date.getMonth() + months + 1, 0, 12);
  return dayOf(new Date(last.getFullYear(), last.getMonth(), Math.min(date.getDate(), last.getDate()), 12));
}

/** How many days the day is after the last Monday. */
const sinceMonday = (day: Day): number => (dateOf(day).getDay() + 6) % 7;

/** The weeks of the month of a day, from Monday on; undefined for days of other months. */
export function weeksOf(day: Day): (Day | undefined)[][] {
  const month = monthOf(day);
  const first = `${month}-01`;
  const weeks: (Day | undefined)[][] = [];
  for (let monday = addDays(first, -sinceMonday(first)); monthOf(monday) <= month; monday = addDays(monday, 7))
    weeks.push(
      Array.from({ length: 7 }, (_, i) => addDays(monday, i)).map((each) =>
        monthOf(each) === month ? each : undefined,
      ),
    );
  return weeks;
}

/** The day that a key of the calendar leads to; undefined for other keys. */
export function dayAfterKey(day: Day, key: string): Day | undefined {
  const steps: Record<string, number> = {
    ...{ ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 },
    ...{ Home: -sinceMonday(day), End: 6 - sinceMonday(day) },
  };
  if (key === "PageUp" || key === "PageDown") return addMonths(day, key === "PageUp" ? -1 : 1);
  const step = steps[key];
  return step === undefined ? undefined : addDays(day, step);
}

/** When the month of the day begins and ends, in Unix seconds. */
export function boundsOf(day: Day): { from: number; to: number } {
  const date = dateOf(day);
  const at = (months: number): number => new Date(date.getFullYear(), date.getMonth() + months, 1).getTime() / 1000;
  return { from: at(0), to: at(1) };
}
