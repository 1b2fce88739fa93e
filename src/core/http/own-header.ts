/** Headers that replies of some routes have of their own; api-docs/openapi-operation.ts describes them. */
export type OwnHeader =
  | "Octavo-Staged"
  | "Octavo-Publish-At"
  | "Octavo-Outdated"
  | "Octavo-Faults"
  | "Octavo-Outcome"
  | "Octavo-File"
  | "Octavo-Release"
  | "Octavo-Previews-Pending"
  | "Content-Language"
  | "Octavo-Fallback"
  | "Octavo-Path"
  | "Octavo-Locales";
