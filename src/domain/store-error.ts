/** Why a store cannot be opened, in a sentence for the person who can mend it. */
export class StoreError extends Error {}
