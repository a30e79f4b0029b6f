import type { Issue } from "../errors.ts"
import { type Library, planMedia } from "../media/mediaPlan.ts"
import type { NewPost } from "./newPost.ts"
import type { Rules } from "./platformRules.ts"
import { planThread } from "./threadPlan.ts"

/** Everything about a new post's files that a platform may refuse later, although the post can be created. */
export const findPostDoubts = (
  rules: Rules,
  { media = [], platforms, thread = [] }: Pick<NewPost, "media" | "platforms" | "thread">,
  library: Library
): ReadonlyArray<Issue> => {
  const context = { library, platforms, status: "draft" } as const
  return [...planMedia(rules, media, context).doubts, ...planThread(rules, thread, context).doubts]
}
