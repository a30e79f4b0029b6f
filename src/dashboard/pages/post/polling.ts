import type { PostJson } from "../../api/postStatus.ts"

/**
 * A post counts as going out this many milliseconds before its time: the page reads the clock every 15 seconds, and the
 * service's clock may differ by a second.
 */
const ahead = 20_000

/** True if a post is going out, or will before the page checks again. */
export const isGoingOut = ({ scheduled_at: at, status }: Pick<PostJson, "scheduled_at" | "status">, now: Date) =>
  status === "publishing" || (status === "scheduled" && at !== null && Date.parse(at) - now.getTime() <= ahead)

/** The duration of frequent polling, in milliseconds. Most posts are out by then. */
const closely = 60_000

/**
 * The interval in milliseconds. Retries may last for hours and must not use up the workspace's requests.
 * @param waited The time since watching began, in milliseconds.
 */
export const pollMillis = (waited: number): number => (waited < closely ? 2000 : 15_000)
