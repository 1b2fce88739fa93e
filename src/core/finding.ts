/**
 * What `octavo doctor` found about one part of the surroundings of the service: `text` says what is right, or what is
 * wrong and what to do. A warning may be meant that way, a fault keeps the service from working as it should.
 */
export type Finding = { check: CheckName; state: "ok" | "warning" | "fault"; text: string };

type CheckName = "settings" | "folder" | "disk" | "database" | "clock" | "bucket" | "address" | "proxy";

type Say = (text: string) => Finding;

/** The three ways to say what one check found. */
export const findingsOf = (check: CheckName): { ok: Say; warning: Say; fault: Say } => ({
  ok: (text) => ({ check, state: "ok", text }),
  warning: (text) => ({ check, state: "warning", text }),
  fault: (text) => ({ check, state: "fault", text }),
});
