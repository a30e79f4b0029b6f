import type { Post } from "../../../domain/posts/post.ts"
import { describeWhatStays } from "../../shared/whatIsOut.ts"

type PostJson = typeof Post.Encoded

const deletion = {
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
} as const

/** What is asked before a post is deleted: what is out of it stays, whatever the post's status. */
export const describeDeletion = (post: Pick<PostJson, "post_targets" | "status">) => {
  const { action, text, title } = deletion[post.status]
  const stays = post.status === "published" ? undefined : describeWhatStays(post)
  if (stays === undefined) return { action, text, title }
  return { action, title, text: `The rest will not go out, and it can’t be brought back here. ${stays}` }
}
