const shortest = 200
const longest = 2000

/**
 * Milliseconds until the next question about a file in processing. Most pictures take less than a second, a video takes
 * minutes.
 * @param waited Milliseconds since the first question.
 */
export const filePollMillis = (waited: number): number => Math.min(longest, Math.max(shortest, waited / 2))
