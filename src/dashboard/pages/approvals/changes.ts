import type { LivePlatform } from "../../../domain/platform.ts"
import type { PostJson } from "../../api/posts.ts"
import { livePlatforms } from "../../../domain/plain/platforms.ts"

export interface TextChange {
  /** The platform whose own text it is; undefined for the text of all others. */
  readonly platform: LivePlatform | undefined
  readonly before: string
  readonly after: string
}

type Texts = Pick<PostJson, "content" | "platform_overrides">

/** Which texts differ between two versions of a post. A text that a platform got for itself is compared with what it had. */
export const changedTexts = (before: Texts | null, after: Texts): ReadonlyArray<TextChange> => {
  if (before === null) return []
  const own = livePlatforms.flatMap((platform): ReadonlyArray<TextChange> => {
    const from = before.platform_overrides[platform]
    const to = after.platform_overrides[platform]
    return from === to || (from === undefined && to === undefined)
      ? []
      : [{ platform, before: from ?? before.content, after: to ?? after.content }]
  })
  const shared =
    before.content === after.content ? [] : [{ platform: undefined, before: before.content, after: after.content }]
  return [...shared, ...own].filter((change) => change.before !== change.after)
}
