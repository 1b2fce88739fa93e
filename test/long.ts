/** True for `npm run test:all`, which runs many rounds, large trees and tests of half a minute. */
export const isLong = process.env.OCTAVO_TEST_LONG !== undefined;

/** A number of rounds or a size: by default, and for `npm run test:all`. */
export const orLong = (usual: number, long: number): number => (isLong ? long : usual);
