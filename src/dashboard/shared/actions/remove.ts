import type { PostJson } from "../../api/postStatus.ts"
import { describeWhatStays } from "../whatIsOut.ts"
import { type AskedAction, describeClosed, type Question } from "./action.ts"

const questions: Readonly<Record<PostJson["status"], Question>> = {
  draft: { title: "Delete this draft?", text: "It can’t be brought back.", action: "Delete" },
  scheduled: {
    title: "Delete this post?",
    text: "It will not go out, and it can’t be brought back.",
    action: "Delete"
  },
  failed: { title: "Delete this post?", text: "What is out stays on its platforms.", action: "Delete" },
  published: {
    title: "Remove this post from here?",
    text: "It stays on its platforms. Here it is gone. The API keeps its history for 90 days.",
    action: "Remove"
  },
  publishing: { title: "Delete this post?", text: "What is out stays on its platforms.", action: "Delete" }
}

/** Names what stays on the platforms, whatever the post's status. */
export const describeDeletion = (post: Pick<PostJson, "post_targets" | "status">): Question => {
  const { action, text, title } = questions[post.status]
  const stays = post.status === "published" ? undefined : describeWhatStays(post)
  if (stays === undefined) return { action, text, title }
  return { action, title, text: `The rest will not go out, and it can’t be brought back here. ${stays}` }
}

/** Published posts stay on their platforms. */
export const remove: AskedAction & { readonly ask: (post: PostJson) => Question } = {
  label: "Delete",
  labelOf: ({ status }) => (status === "published" ? "Remove" : "Delete"),
  icon: "trash",
  scope: "posts:delete",
  // Between two attempts, a post can be deleted. Its rest is then never sent.
  fits: ({ post_targets }) => !post_targets.some(({ status }) => status === "publishing"),
  ask: (post) => ({ ...describeDeletion(post), danger: true }),
  askMany: (posts) => ({
    title: `Delete ${posts}?`,
    text: "They can’t be brought back. What is scheduled will not go out, and what is out stays on its platforms.",
    action: "Delete",
    danger: true
  }),
  request: () => ({ kind: "delete" }),
  skip: ({ post }) => (post.status === "publishing" ? describeClosed(post) : undefined),
  doing: (posts) => `Deleting ${posts}`,
  done: (posts, one) =>
    one === undefined ? `Deleted ${posts}` : one.before.status === "published" ? "Removed" : "Deleted"
}
