import { isAwaitingApproval, type PostJson } from "../../api/postStatus.ts"
import { formatClock, formatDay } from "../../ui/time/time.ts"
import { alreadyThere, type Choice, ifOpen, type PostRequest } from "./action.ts"

export const timePassed = "That time has passed. A post can only go out later."

export const retime = ({ scheduled_at: at, status }: PostJson, to: Date | null, now: Date): PostRequest | string => {
  if (to?.getTime() === (at === null ? undefined : Date.parse(at))) return alreadyThere
  if (to === null && status !== "draft") return "A scheduled post needs a time. Unschedule it first."
  return to !== null && to < now ? timePassed : { kind: "change", body: { scheduled_at: to?.toISOString() ?? null } }
}

const describeTime = (at: string | null): string =>
  at === null ? "the drafts without a time" : `${formatDay(new Date(at), new Date())} ${formatClock(new Date(at))}`

/** A draft with a time looks scheduled, so the text says that it is not. */
const describeMove = (post: PostJson): string => {
  const { scheduled_at: at, status } = post
  const text = `Moved to ${describeTime(at)}`
  if (isAwaitingApproval(post)) return `${text}. It still waits for approval.`
  return status === "draft" && at !== null ? `${text}. It is a draft and does not go out until it is scheduled.` : text
}

/** Null removes a draft's time. */
export const moveTo = (to: Date | null): Required<Choice> => ({
  request: ifOpen((post, now) => retime(post, to, now)),
  done: (posts, one) => (one?.after === undefined ? `Moved ${posts}` : describeMove(one.after))
})
