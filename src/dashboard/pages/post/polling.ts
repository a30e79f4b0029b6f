import type { PostJson } from "../../api/postStatus.ts"

/**
 * Polling begins this many milliseconds before the post's time. The page reads the clock only every 15 seconds, and the
 * service's clock may differ by a second.
 */
const ahead = 20_000

/** True if the post is being published, or will be before the page checks again. */
export const isGoingOut = ({ scheduled_at: at, status }: Pick<PostJson, "scheduled_at" | "status">, now: Date) =>
  status === "publishing" || (status === "scheduled" && at !== null && Date.parse(at) - now.getTime() <= ahead)

/** Milliseconds of frequent polling, in which most posts are published. */
const closely = 60_000

/**
 * Polling becomes rare after a while, because retries may last for hours, and polling must not use up the workspace's
 * requests.
 * @param waited Milliseconds since polling began.
 */
export const pollMillis = (waited: number): number => (waited < closely ? 2000 : 15_000)
