import { namePlatforms } from "../../../domain/plain/platforms.ts"
import { isAwaitingApproval, isOpen, isSomewhereOut, type PostJson } from "../../api/postStatus.ts"
import { type Action, alreadyThere, type AskedAction, type Choice, ifOpen, type Question } from "./action.ts"

type AskedPublish = Action & Choice & { readonly ask: (post: PostJson) => Question }

/** Publishes on the platforms that do not have the post yet. The post's page shows the result. */
export const publish: AskedPublish = {
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

/** For a failed post. */
export const askMissing = (post: PostJson): Question => {
  const failed = post.post_targets.filter((target) => target.status === "failed" && target.copied_to === null)
  const names = namePlatforms(failed.map(({ integrations }) => integrations.platform))
  return {
    title: `Publish on ${names} now?`,
    text: `What is missing there goes out immediately.${post.scheduled_at === null ? "" : " The post keeps its planned time."}`,
    action: "Publish now"
  }
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

export const schedule: AskedAction = {
  label: "Schedule",
  labelMany: (count) => `Schedule ${count}`,
  icon: "clock",
  scope: "posts:write",
  fits: (post, now) =>
    post.status === "draft" &&
    post.scheduled_at !== null &&
    new Date(post.scheduled_at) > now &&
    !isAwaitingApproval(post),
  askMany: (posts) => ({
    title: `Schedule ${posts}?`,
    text: "They go out at their times.",
    action: "Schedule"
  }),
  request: ifOpen(({ status }) =>
    status === "scheduled" ? alreadyThere : { kind: "change", body: { status: "scheduled" } }
  ),
  skip: ({ post }, now) => {
    if (post.status !== "draft") return undefined
    if (isAwaitingApproval(post)) return "These wait for approval. Approve them to schedule them."
    if (post.scheduled_at === null) return "These have no time. Set one first."
    return new Date(post.scheduled_at) > now ? undefined : "The time of these has passed. Move them first."
  },
  doing: (posts) => `Scheduling ${posts}`,
  done: (posts, one) => (one === undefined ? `Scheduled ${posts}` : "It goes out at its time"),
  undo: () => unschedule
}
