import type { PostJson } from "../../api/postStatus.ts"
import { describeWhatStays } from "../whatIsOut.ts"
import { type AskedAction, describeClosed, type Question } from "./action.ts"

const labelOf = ({ status }: Pick<PostJson, "status">) => (status === "published" ? "Remove" : "Delete")

const questions: Readonly<Record<PostJson["status"], Pick<Question, "text" | "title">>> = {
  draft: { title: "Delete this draft?", text: "It can’t be brought back." },
  scheduled: { title: "Delete this post?", text: "It will not go out, and it can’t be brought back." },
  publishing: { title: "Delete this post?", text: "What is out stays on its platforms." },
  published: {
    title: "Remove this post from here?",
    text: "It stays on its platforms. Here it is gone. The API keeps its history for 90 days."
  },
  failed: { title: "Delete this post?", text: "What is out stays on its platforms." }
}

/** Names what stays on the platforms. A draft or scheduled post can be partly published. */
export const describeDeletion = (post: Pick<PostJson, "post_targets" | "status">): Question => {
  const stays = post.status === "published" ? undefined : describeWhatStays(post)
  return {
    ...questions[post.status],
    ...(stays !== undefined && { text: `The rest will not go out, and it can’t be brought back here. ${stays}` }),
    action: labelOf(post),
    danger: true
  }
}

export const remove: AskedAction & { readonly ask: (post: PostJson) => Question } = {
  label: "Delete",
  labelOf,
  icon: "trash",
  scope: "posts:delete",
  // A post can be deleted between two attempts. What is not published then never will be.
  fits: ({ post_targets }) => !post_targets.some(({ status }) => status === "publishing"),
  ask: describeDeletion,
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
