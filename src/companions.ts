import type { Sample } from "./core/metric.ts";
import type { SignInCodes } from "./people/session-routes.ts";
import type { Settings } from "./settings-type.ts";

/** The processes that together serve one store on one machine. */
export type Companions = {
  count: number;
  /** One process is the leader: it maintains the uploads tree and runs the chores. */
  leads: boolean;
  /** Settles when the leader's tree reflects this event, or after a short timeout. */
  treeShows?: (sequence: number) => Promise<void>;
  /** The leader's codes of sign-in links; false when the leader does not answer. */
  signInCodes?: SignInCodes;
  /** Answers the figures of each of the others, of those that answer in time. */
  figuresOfOthers?: () => Promise<readonly Sample[][]>;
};

export const noCompanions: Companions = { count: 1, leads: true };

/**
 * This process's share of the limits for the whole service; shared folders are no single process's. The cache of lists is
 * not divided: each process is asked for the same lists, and past its size a cache of lists that are requested in turn
 * finds none.
 */
export function shareOf(settings: Settings, { count }: Companions): Settings {
  const part = (amount: number) => Math.ceil(amount / count);
  return {
    ...settings,
    entryCacheBytes: part(settings.entryCacheBytes),
    blobCacheBytes: part(settings.blobCacheBytes),
    sendMaxBytes: part(settings.sendMaxBytes),
    sendDownloadMaxBytes: part(settings.sendDownloadMaxBytes),
    renderWorkers: part(settings.renderWorkers),
    renderQueueMax: part(settings.renderQueueMax),
    authFailuresPerMinute: part(settings.authFailuresPerMinute),
  };
}
