import type { PostJson } from "../../api/postStatus.ts"
import { formatClock } from "../../ui/time/time.ts"
import type { Composing } from "./composingState.ts"

interface Question {
  readonly title: string
  readonly text: string
  readonly action: string
  /** The label of the button that stays, which is the better choice. */
  readonly stay: string
}

/** Milliseconds before its time in which an unsaved change of a scheduled post is asked about. */
const soonMillis = 3_600_000

interface Leaving {
  readonly state: Pick<Composing, "uploads" | "waiting">
  readonly post: Pick<PostJson, "scheduled_at" | "status"> | undefined
  /** True if the service does not have the change. */
  readonly isDirty: boolean
}

const goesOutSoon = ({ scheduled_at: at, status }: NonNullable<Leaving["post"]>, now: Date): boolean =>
  status === "scheduled" && at !== null && new Date(at).getTime() - now.getTime() < soonMillis

/** The question before the composer is left; undefined if nothing is lost. */
export const askBeforeLeaving = ({ isDirty, post, state }: Leaving, now: Date): Question | undefined => {
  const { uploads, waiting } = state
  if (uploads.some(({ error }) => error === undefined)) {
    return {
      title: "Leave while a file is being uploaded?",
      text: "The upload stops, and the post won’t have the file. What you typed is kept.",
      action: "Leave",
      stay: "Stay"
    }
  }
  if (uploads.length > 0) {
    return {
      title: "Leave without the file?",
      text: "A file could not be uploaded, and the post won’t have it. What you typed is kept.",
      action: "Leave",
      stay: "Stay"
    }
  }
  if (waiting !== undefined) {
    return {
      title: "Leave before it is saved?",
      text: "It is saved as soon as its file is ready, which takes seconds. If you leave now, it is not.",
      action: "Leave",
      stay: "Stay"
    }
  }
  if (!isDirty || post === undefined || !goesOutSoon(post, now)) return undefined
  const time = post.scheduled_at === null ? "" : ` at ${formatClock(new Date(post.scheduled_at))}`
  return {
    title: "Leave without saving?",
    text: `The post goes out${time} as it was before. Your changes stay in this browser.`,
    action: "Leave",
    stay: "Stay"
  }
}
