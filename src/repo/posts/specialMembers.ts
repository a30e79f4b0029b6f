import { Schema } from "effect"
import { PostMedia } from "../../domain/media/media.ts"
import { LinkCard } from "../../domain/posts/linkCard.ts"
import { StoredOverrides, StoredSettings } from "../../domain/posts/platformSettings.ts"
import { Thread } from "../../domain/posts/thread.ts"
import { orEmpty } from "../spoiled.ts"

/**
 * The members that most posts lack. Values that only a later version knows are left out, and an unreadable member is
 * empty, so that the post can still be shown.
 */
export const Special = Schema.Struct({
  overrides: orEmpty(StoredOverrides, {}),
  settings: orEmpty(StoredSettings, {}),
  media: orEmpty(Schema.Array(PostMedia), []),
  card: orEmpty(Schema.NullOr(LinkCard), null),
  thread: orEmpty(Thread, [])
})

export const encodeSpecial = ({ card, media, overrides, settings, thread }: typeof Special.Type) =>
  `"platform_overrides":${JSON.stringify(overrides)},"platform_settings":${JSON.stringify(settings)},"media":${JSON.stringify(media)},"card":${JSON.stringify(card)},"thread":${JSON.stringify(thread)}`

export const noSpecial = encodeSpecial({ overrides: {}, settings: {}, media: [], card: null, thread: [] })
