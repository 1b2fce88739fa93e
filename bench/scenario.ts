/** What bench/run.ts and its scenarios agree on. */

/** `big` is a scenario's own large number, `sizes` are those that it goes through; undefined for its standard. */
export type Options = {
  rounds: number;
  seconds: number;
  big: number | undefined;
  sizes: number[] | undefined;
  only: string;
  minutes: number;
};
/** One row of the table: medians of the rounds; ratios are to the yardstick of the same round, of rates and of processor
 *  time. `perSecond` counts requests, or what `work` names. NaN is a figure that the scenario does not measure. */
export type Line = {
  work: string;
  perSecond: number;
  p99Ms: number;
  cpuMicros: number;
  ratio: number;
  cpuRatio: number;
  goal: string;
  note: string;
};
/** What `remark` receives precedes the table. A scenario answers the rows of its table, or text with tables of its own. */
export type Run = (options: Options, remark: (text: string) => void) => Promise<Line[] | string>;
