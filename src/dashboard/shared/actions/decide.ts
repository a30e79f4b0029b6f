import { isAwaitingApproval } from "../../api/postStatus.ts"
import { formatFixedTime } from "../../ui/time/time.ts"
import type { Action, ApprovalOrder, AskedAction, Choice, ManyChoice } from "./action.ts"

/** Approves posts at the revision that the person has read. */
export const approveAs = (order: ApprovalOrder): ManyChoice => ({
  request: () => ({ kind: "approve", order }),
  skip: ({ post, seen }, now) => {
    if (!isAwaitingApproval(post)) return "These don’t wait for approval."
    if (post.revision !== seen) return "Changed since you selected these. Open each, and approve it there."
    if (post.scheduled_at === null) return "These have no time. Open each, and approve it with one."
    return new Date(post.scheduled_at) < now
      ? "The time of these has passed. Open each, and approve it with another."
      : undefined
  },
  doing: (posts) => `Approving ${posts}`,
  done: (posts, one) => {
    if (one === undefined) return `Approved ${posts}`
    const at = one.after?.scheduled_at ?? null
    return "publish_now" in order || at === null
      ? "Approved. It goes out now."
      : `Approved for ${formatFixedTime(new Date(at), new Date())}`
  }
})

export const approve: AskedAction = {
  ...approveAs({}),
  label: "Approve",
  labelMany: (count) => `Approve ${count}`,
  icon: "check",
  scope: "posts:publish",
  fits: isAwaitingApproval,
  askMany: (posts) => ({
    title: `Approve ${posts}?`,
    text: "They go out at their times, as they were when you selected them.",
    action: "Approve"
  })
}

export const reject: Action = { label: "Reject", scope: "posts:publish", fits: isAwaitingApproval }

export const rejectFor = (reason: string): Choice => ({
  request: () => ({ kind: "reject", reason }),
  done: () => "Rejected. Whoever asked sees why."
})
