import type { Post } from "../../../domain/posts/post.ts"

/**
 * How long before its time a post is watched, in milliseconds. The page looks at the clock every 15 seconds, and the times
 * of a post and of the service's responses are apart by up to a second.
 */
const ahead = 20_000

/** Whether a post goes out, or will before the page looks again. */
export const isGoingOut = (
  { scheduled_at: at, status }: Pick<typeof Post.Encoded, "scheduled_at" | "status">,
  now: Date
) => status === "publishing" || (status === "scheduled" && at !== null && Date.parse(at) - now.getTime() <= ahead)

/** How long a post that goes out is watched closely, in milliseconds. Most are out by then. */
const closely = 60_000

/**
 * How often a post that goes out is loaded again, in milliseconds. What is tried again for hours must not use up the requests of
 * the workspace.
 *
 * @param waited How long it has been watched, in milliseconds.
 */
export const pollMillis = (waited: number): number => (waited < closely ? 2000 : 15_000)
