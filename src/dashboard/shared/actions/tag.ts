import type { Post } from "../../../domain/posts/post.ts"
import { isOpen } from "../../api/postStatus.ts"
import { savableTags } from "../savableTags.ts"
import { type Action, alreadyThere, ifOpen, type ManyChoice } from "./action.ts"

type PostJson = typeof Post.Encoded

/** Adds a tag to posts, or removes one. */
export const tag: Action = { label: "Tags", scope: "posts:write", fits: isOpen }

export const addTag = (added: string): ManyChoice => ({
  request: ifOpen(({ tags }) =>
    tags.includes(added) ? alreadyThere : { kind: "change", body: { tags: [...savableTags(tags), added] } }
  ),
  doing: (posts) => `Tagging ${posts} with #${added}`,
  done: (posts) => `Tagged ${posts} with #${added}`
})

export const removeTag = (removed: string): ManyChoice => ({
  request: ifOpen(({ tags }) =>
    tags.includes(removed)
      ? { kind: "change", body: { tags: savableTags(tags).filter((each) => each !== removed) } }
      : alreadyThere
  ),
  doing: (posts) => `Removing #${removed} from ${posts}`,
  done: (posts) => `Removed #${removed} from ${posts}`
})

/** The tags of posts that can be changed, with the count of their posts, most first. */
export const tagsOf = (posts: ReadonlyArray<PostJson>): ReadonlyArray<readonly [tag: string, count: number]> => {
  const counts = new Map<string, number>()
  for (const post of posts.filter(isOpen)) for (const each of post.tags) counts.set(each, (counts.get(each) ?? 0) + 1)
  return Array.from(counts).toSorted((left, right) => right[1] - left[1] || left[0].localeCompare(right[0]))
}
