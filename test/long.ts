/** True for `npm run test:all`, which has time for many rounds, large trees and what takes half a minute. */
export const isLong = process.env.OCTAVO_TEST_LONG !== undefined;

/** How many or how much: as a rule, and where there is time. */
export const orLong = (usual: number, long: number): number => (isLong ? long : usual);
