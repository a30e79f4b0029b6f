import { twitter } from "../../../platforms/twitter/settings.ts"
import type { LivePlatform } from "../../../domain/platform.ts"
import type { PostJson } from "../../api/postStatus.ts"

const { who_can_reply: setting } = twitter

export type Replies = keyof typeof setting.choices

export const isReplies = (value: string): value is Replies => Object.hasOwn(setting.choices, value)

export const replies = { ...setting, name: "who_can_reply", platform: "twitter" } as const satisfies {
  readonly name: string
  readonly platform: LivePlatform
}

/** Null for everyone. */
export const repliesOf = (post: Pick<PostJson, "platform_settings">): Replies | null =>
  post.platform_settings.twitter?.who_can_reply ?? null

export const settingsOf = (chosen: Replies | null) => (chosen === null ? {} : { twitter: { who_can_reply: chosen } })
