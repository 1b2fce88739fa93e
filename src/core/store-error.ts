/** Why a store cannot be opened, in a sentence for the operator. */
export class StoreError extends Error {}
