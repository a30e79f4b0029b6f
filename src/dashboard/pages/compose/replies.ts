import { liveFacts } from "../../../platforms/facts.ts"
import type { LivePlatform } from "../../../domain/platform.ts"
import type { PostJson } from "../../api/posts.ts"

const { who_can_reply: setting } = liveFacts.twitter.settings

/** A choice of who may reply to a post. */
export type Replies = keyof typeof setting.choices

export const isReplies = (value: string): value is Replies => Object.hasOwn(setting.choices, value)

/** The setting as a form shows it. */
export const replies = { ...setting, platform: "twitter" } as const satisfies { readonly platform: LivePlatform }

/** Reads from a post's settings who may reply to it; null for everyone. */
export const repliesOf = (post: Pick<PostJson, "platform_settings">): Replies | null =>
  post.platform_settings.twitter?.who_can_reply ?? null

/** The settings of a post by who may reply to it. */
export const settingsOf = (chosen: Replies | null) => (chosen === null ? {} : { twitter: { who_can_reply: chosen } })
