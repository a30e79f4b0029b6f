import { isAwaitingApproval, isOpen, isSomewhereOut, type PostJson } from "../../api/postStatus.ts"
import { type Action, alreadyThere, type AskedAction, type Choice, ifOpen, type Question } from "./action.ts"

/** Publishes on the platforms that do not have the post yet. The post's page shows the result. */
export const publish: Action & Choice & { readonly ask: (post: PostJson) => Question } = {
  label: "Publish now",
  scope: "posts:publish",
  fits: (post) => isOpen(post) && !isAwaitingApproval(post),
  ask: (post) => ({
    title: "Publish this post now?",
    text: isSomewhereOut(post)
      ? "Everything that is not out yet goes out immediately."
      : "It goes out on its platforms immediately.",
    action: "Publish now"
  }),
  request: () => ({ kind: "publish" })
}

export const schedule: Action & Choice = {
  label: "Schedule",
  icon: "clock",
  scope: "posts:write",
  fits: (post, now) =>
    post.status === "draft" &&
    post.scheduled_at !== null &&
    new Date(post.scheduled_at) > now &&
    !isAwaitingApproval(post),
  request: ifOpen(() => ({ kind: "change", body: { status: "scheduled" } })),
  done: () => "It goes out at its time"
}

export const unschedule: AskedAction = {
  label: "Unschedule",
  scope: "posts:write",
  fits: (post) => post.status === "scheduled" && !isSomewhereOut(post),
  askMany: (posts) => ({
    title: `Unschedule ${posts}?`,
    text: "They become drafts. They keep their times, and don’t go out until they are scheduled again.",
    action: "Unschedule"
  }),
  request: ifOpen((post) => {
    if (post.status === "draft") return alreadyThere
    return isSomewhereOut(post)
      ? "These are out in part, so they can’t become drafts."
      : { kind: "change", body: { status: "draft" } }
  }),
  doing: (posts) => `Unscheduling ${posts}`,
  done: (posts, one) => (one === undefined ? `Unscheduled ${posts}` : "Unscheduled. It is a draft again.")
}
