import type { LivePlatform } from "../../../domain/platform.ts"
import type { NewPostJson, PostPatchJson } from "../../api/postActions.ts"
import { formatEtag } from "../../../domain/plain/posts.ts"
import type { PostJson } from "../../api/posts.ts"
import { isLive } from "../../../domain/plain/platforms.ts"
import { type Replies, replyChoices } from "./replies.ts"

/** A file of the library in a post that is being written. */
export interface ComposeMedium {
  readonly id: string
  readonly alt: string
  readonly type: "image" | "gif" | "video" | null
  readonly width: number | null
  readonly height: number | null
  /** Why it can't be used. */
  readonly problem?: string | undefined
}

/** What a person writes, as it is kept in the browser. */
export interface ComposeForm {
  readonly content: string
  readonly overrides: Readonly<Partial<Record<LivePlatform, string>>>
  /** The platforms that it goes to; null for all that are connected. */
  readonly platforms: ReadonlyArray<LivePlatform> | null
  readonly media: ReadonlyArray<ComposeMedium>
  readonly tags: ReadonlyArray<string>
  readonly replies: Replies | null
  readonly at: string | null
  /** The entity tag of the post that is changed, as the person has seen it; null for a post to create. */
  readonly base: string | null
  /** The idempotency key of an attempt to create it that got no answer; absent before the first. */
  readonly attempt?: string | undefined
}

export const emptyForm = (at: string | null): ComposeForm => ({
  content: "",
  overrides: {},
  platforms: null,
  media: [],
  tags: [],
  replies: null,
  at,
  base: null
})

export const formOf = (post: PostJson): ComposeForm => {
  return {
    content: post.content,
    overrides: post.platform_overrides,
    platforms: post.post_targets.map(({ integrations }) => integrations.platform).filter(isLive),
    media: post.media.map(({ alt, height, id, type, width }) => ({ alt, height, id, type, width })),
    tags: post.tags,
    replies: post.platform_settings.twitter?.who_can_reply ?? null,
    at: post.scheduled_at,
    base: formatEtag(post)
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const isText = (value: unknown): value is string => typeof value === "string"
const isTextOrNull = (value: unknown): boolean => value === null || isText(value)

const isMedium = (value: unknown): boolean =>
  isRecord(value) && isText(value["id"]) && isText(value["alt"]) && isTextOrNull(value["type"])

/** Whether what the browser has kept is a form. */
export const isForm = (value: unknown): value is ComposeForm => {
  if (!isRecord(value)) return false
  const { at, attempt, base, content, media, overrides, platforms, replies, tags } = value
  return (
    isText(content) &&
    isRecord(overrides) &&
    Object.values(overrides).every(isText) &&
    (platforms === null || (Array.isArray(platforms) && platforms.every((name) => isText(name) && isLive(name)))) &&
    Array.isArray(media) &&
    media.every(isMedium) &&
    Array.isArray(tags) &&
    tags.every(isText) &&
    (replies === null || (isText(replies) && Object.hasOwn(replyChoices, replies))) &&
    isTextOrNull(at) &&
    isTextOrNull(base) &&
    (attempt === undefined || isText(attempt))
  )
}

export const isEmpty = ({ content, media, overrides, tags }: ComposeForm): boolean =>
  content === "" && media.length === 0 && tags.length === 0 && Object.keys(overrides).length === 0

/** The text that a platform gets. */
export const textOn = ({ content, overrides }: ComposeForm, platform: LivePlatform): string =>
  overrides[platform] ?? content

/** The overrides without that of a platform, which then gets the text of all. */
export const withoutOverride = (
  overrides: ComposeForm["overrides"],
  platform: LivePlatform
): ComposeForm["overrides"] => Object.fromEntries(Object.entries(overrides).filter(([name]) => name !== platform))

/** The tags with what was typed of another one, unless that is blank or there already. */
export const withTag = (tags: ReadonlyArray<string>, text: string): ReadonlyArray<string> => {
  const tag = text.trim()
  return tag === "" || tags.includes(tag) ? tags : [...tags, tag]
}

const members = ({ content, media, overrides, replies, tags }: ComposeForm) => ({
  content,
  tags,
  media: media.map(({ alt, id }) => ({ id, alt })),
  platform_overrides: overrides,
  platform_settings: replies === null ? {} : { twitter: { who_can_reply: replies } }
})

/** The form without what only other platforms would get. */
const forPlatforms = (form: ComposeForm, platforms: ReadonlyArray<LivePlatform>): ComposeForm => ({
  ...form,
  overrides: Object.fromEntries(
    Object.entries(form.overrides).filter(([name]) => platforms.some((platform) => platform === name))
  ),
  replies: platforms.includes("twitter") ? form.replies : null
})

/** Whether a post can be given other platforms, as far as its targets tell: once an attempt has begun the service refuses. */
export const canChangePlatforms = ({ post_targets }: PostJson): boolean =>
  post_targets.every(({ error, status }) => status === "pending" && error === null)

/** What becomes of a post: its time is kept in a draft as well. */
export interface Order {
  readonly status: "draft" | "scheduled"
  readonly at: string | null
}

export const toNewPost = (form: ComposeForm, platforms: ReadonlyArray<LivePlatform>, order: Order): NewPostJson => ({
  ...members(forPlatforms(form, platforms)),
  platforms,
  status: order.status,
  ...(order.at === null ? {} : { schedule_at: order.at })
})

/** What is written for a platform that was taken from the post stays, for when it is added again. */
export const toPatch = (
  form: ComposeForm,
  platforms: ReadonlyArray<LivePlatform>,
  order: Order,
  post: PostJson
): PostPatchJson => ({
  ...members(form),
  ...(canChangePlatforms(post) && { platforms }),
  status: order.status,
  scheduled_at: order.at
})
