/** A list of the value, or of nothing. */
export const listOf = <T>(value: T | undefined): T[] => (value === undefined ? [] : [value]);
