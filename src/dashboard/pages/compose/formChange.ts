import { formatEtag } from "../../../domain/plain/posts.ts"
import type { LivePlatform } from "../../../domain/platform.ts"
import type { PostJson } from "../../api/postStatus.ts"
import { type ComposeForm, formOf, toPatch } from "./form.ts"

/** The difference between a form and its post: none, only the time or the tags, or the content. */
export type FormChange = "none" | "plan" | "content"

export const changeOf = (form: ComposeForm, platforms: ReadonlyArray<LivePlatform>, post: PostJson): FormChange => {
  const stored = formOf(post)
  const split = (of: ComposeForm, named: ReadonlyArray<LivePlatform>) => {
    const { scheduled_at: at, tags, ...content } = toPatch(of, named, { status: "draft", at: of.at }, post)
    return { content: JSON.stringify(content), plan: JSON.stringify([at, tags]) }
  }
  const before = split(stored, stored.platforms ?? [])
  const after = split(form, platforms)
  if (before.content !== after.content) return "content"
  return before.plan === after.plan && form.base === formatEtag(post) ? "none" : "plan"
}
