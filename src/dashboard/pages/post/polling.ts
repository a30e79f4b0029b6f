/** In milliseconds: so long a post that goes out is watched closely. Most are out by then. */
const closely = 60_000

/**
 * How often a post that goes out is loaded again, in milliseconds. What is tried again for hours must not use up the requests of
 * the workspace.
 *
 * @param waited How long it has been watched, in milliseconds.
 */
export const pollMillis = (waited: number): number => (waited < closely ? 2000 : 15_000)
