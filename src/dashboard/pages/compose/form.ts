import type { LivePlatform } from "../../../domain/platform.ts"
import { formatEtag } from "../../../domain/plain/posts.ts"
import type { PostJson } from "../../api/postStatus.ts"
import { savableTags } from "../../shared/savableTags.ts"
import { isLive } from "../../../domain/plain/platforms.ts"
import { type ComposePart, isBlankPart, mediaOf, type Overrides, partsOf, threadOf, type WithParts } from "./parts.ts"
import { isOtherSettings, type OtherSettings, otherSettingsOf, sentSettings, settingsFor } from "./otherSettings.ts"
import { isReplies, type Replies, replies as replySetting, repliesOf, settingsOf } from "./replies.ts"

export interface ComposeForm extends WithParts {
  /** Null for all platforms with an account. */
  readonly platforms: ReadonlyArray<LivePlatform> | null
  readonly tags: ReadonlyArray<string>
  readonly replies: Replies | null
  /** Earlier versions of the dashboard stored none. */
  readonly settings?: OtherSettings | undefined
  readonly at: string | null
  /** The time that was chosen as the queue's next slot. The post takes the slot if `at` is this time. */
  readonly slot?: string | undefined
  /** The ETag that the person has read; null for a new post. */
  readonly base: string | null
  /** The idempotency key of a creation without a response. */
  readonly attempt?: string | undefined
  /** The content of that creation if the page saved it by itself. A repetition has to send the same. */
  readonly attempted?: Attempted | undefined
  /** The id of the draft as which a new post was saved by itself. */
  readonly id?: string | undefined
}

/** A form as it was sent. */
export interface Attempted extends Omit<ComposeForm, "attempt" | "attempted" | "platforms"> {
  readonly platforms: ReadonlyArray<LivePlatform>
}

export const emptyForm = (at: string | null): ComposeForm => ({
  content: "",
  overrides: {},
  platforms: null,
  media: [],
  thread: [],
  tags: [],
  replies: null,
  at,
  base: null
})

export const formOf = (post: PostJson): ComposeForm => ({
  content: post.content,
  overrides: post.platform_overrides,
  platforms: post.post_targets.map(({ integrations }) => integrations.platform).filter(isLive),
  media: mediaOf(post.media),
  thread: threadOf(post),
  tags: savableTags(post.tags),
  replies: repliesOf(post),
  settings: otherSettingsOf(post),
  at: post.scheduled_at,
  base: formatEtag(post)
})

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const isText = (value: unknown): value is string => typeof value === "string"
const isTextOrNull = (value: unknown): value is string | null => value === null || isText(value)
const isTexts = (value: unknown): value is ReadonlyArray<string> => Array.isArray(value) && value.every(isText)

const isMedium = (value: unknown): boolean =>
  isRecord(value) && isText(value["id"]) && isText(value["alt"]) && isTextOrNull(value["type"])

const isOverrides = (value: unknown): boolean => isRecord(value) && Object.values(value).every(isText)

const isPlatforms = (value: unknown): boolean =>
  value === null || (Array.isArray(value) && value.every((name) => isText(name) && isLive(name)))

const isMedia = (value: unknown): boolean => Array.isArray(value) && value.every(isMedium)

const isPart = (value: unknown): boolean =>
  isRecord(value) &&
  isText(value["key"]) &&
  isText(value["content"]) &&
  isOverrides(value["overrides"]) &&
  isMedia(value["media"]) &&
  isPlatforms(value["platforms"])

/** Versions of the dashboard without threads stored no `thread`. */
type KeptForm = Omit<ComposeForm, "thread"> & { readonly thread?: ReadonlyArray<ComposePart> }

const isAttempted = (value: unknown): value is Attempted =>
  isForm(value) && value.platforms !== null && value.thread !== undefined

export const isForm = (value: unknown): value is KeptForm => {
  if (!isRecord(value)) return false
  const { at, attempt, attempted, base, content, id, key, media, overrides, platforms, replies, settings, slot, tags } =
    value
  const { thread } = value
  return (
    isText(content) &&
    isOverrides(overrides) &&
    isPlatforms(platforms) &&
    isMedia(media) &&
    (key === undefined || isText(key)) &&
    (thread === undefined || (Array.isArray(thread) && thread.every(isPart))) &&
    isTexts(tags) &&
    (replies === null || (isText(replies) && isReplies(replies))) &&
    (settings === undefined || isOtherSettings(settings)) &&
    isTextOrNull(at) &&
    isTextOrNull(base) &&
    (slot === undefined || isText(slot)) &&
    (attempt === undefined || isText(attempt)) &&
    (attempted === undefined || isAttempted(attempted)) &&
    (id === undefined || isText(id))
  )
}

/** Without a stored thread, uses the post's thread. A new post that was not saved by itself has no `base`. */
export const restoreForm = (kept: unknown, initial: ComposeForm): ComposeForm | undefined =>
  isForm(kept)
    ? {
        ...kept,
        thread: kept.thread ?? initial.thread,
        // A draft that was begun here is opened like any other.
        id: initial.base === null ? kept.id : undefined,
        base: initial.base === null && kept.id === undefined ? null : kept.base
      }
    : undefined

/** The rules by which the browser keeps a form that is not saved. */
export const keptForm = {
  restore: restoreForm,
  isUnchanged: (form: ComposeForm, initial: ComposeForm): boolean =>
    form.attempt === undefined && form.id === undefined && form.base === initial.base && saysTheSame(form, initial)
}

/** Restores what can change in a locked form. Earlier versions of the dashboard stored nothing else. */
export const restoreLocked = (kept: unknown, initial: ComposeForm): ComposeForm | undefined => {
  if (!isRecord(kept)) return undefined
  const { at, base, tags } = kept
  return isTextOrNull(at) && isText(base) && isTexts(tags) ? { ...initial, at, base, tags } : undefined
}

export const isEmpty = (form: Omit<KeptForm, "replies">): boolean =>
  form.tags.length === 0 && partsOf({ ...form, thread: form.thread ?? [] }).every(isBlankPart)

const references = ({ media }: Pick<ComposePart, "media">) => media.map(({ alt, id }) => ({ id, alt }))

/**
 * If none of a part's platforms is one of the post's, they are sent anyway, so that the service reports the problem.
 */
const toNewPart = (part: ComposePart, platforms: ReadonlyArray<LivePlatform>) => {
  const shared = part.platforms?.filter((platform) => platforms.includes(platform)) ?? []
  return {
    content: part.content,
    media: references(part),
    platform_overrides: part.overrides,
    ...(part.platforms === null ? {} : { platforms: shared.length === 0 ? part.platforms : shared })
  }
}

const members = (form: ComposeForm, platforms: ReadonlyArray<LivePlatform>) => ({
  content: form.content,
  tags: form.tags,
  media: references(form),
  platform_overrides: form.overrides,
  platform_settings: { ...sentSettings(form.settings ?? {}), ...settingsOf(form.replies) },
  thread: form.thread.map((part) => toNewPart(part, platforms))
})

const overridesFor = (overrides: Overrides, platforms: ReadonlyArray<LivePlatform>): Overrides =>
  Object.fromEntries(Object.entries(overrides).filter(([name]) => platforms.some((platform) => platform === name)))

const forPlatforms = (form: ComposeForm, platforms: ReadonlyArray<LivePlatform>): ComposeForm => ({
  ...form,
  overrides: overridesFor(form.overrides, platforms),
  thread: form.thread.map((part) => ({ ...part, overrides: overridesFor(part.overrides, platforms) })),
  replies: platforms.includes(replySetting.platform) ? form.replies : null,
  settings: settingsFor(form.settings ?? {}, platforms)
})

/** True if the post's platforms can change. The service refuses this once it has begun to publish the post. */
export const canChangePlatforms = ({ post_targets }: PostJson): boolean =>
  post_targets.every(({ error, status }) => status === "pending" && error === null)

/** A draft can also have a time. */
export interface Order {
  readonly status: "draft" | "scheduled"
  readonly at: string | null
}

export const toNewPost = (form: ComposeForm, platforms: ReadonlyArray<LivePlatform>, order: Order) => ({
  ...members(forPlatforms(form, platforms), platforms),
  platforms,
  status: order.status,
  ...(order.at === null ? {} : { schedule_at: order.at })
})

/** Null also for a time that has passed, because the service would refuse it. */
const timeAhead = (at: string | null, now: Date): string | null => (at !== null && new Date(at) > now ? at : null)

/** Makes a draft of a post that can no longer be changed. */
export const toKeptDraft = (form: ComposeForm, now: Date) =>
  toNewPost(form, form.platforms ?? [], { status: "draft", at: timeAhead(form.at, now) })

/** The form as a save by itself sends it, which leaves out a time that has passed. */
export const toAttempted = (
  { attempt: _key, attempted: _sent, ...form }: ComposeForm,
  platforms: ReadonlyArray<LivePlatform>,
  now: Date
): Attempted => ({ ...form, platforms, at: timeAhead(form.at, now) })

/** The body that creates the draft. */
export const toAttemptedPost = (form: Attempted) => toNewPost(form, form.platforms, { status: "draft", at: form.at })

/** True if both forms make the same draft. */
export const saysTheSame = (one: ComposeForm, other: ComposeForm): boolean => {
  const [first, second] = [one, other].map((form) =>
    JSON.stringify(toNewPost(form, form.platforms ?? [], { status: "draft", at: form.at }))
  )
  return first === second
}

/** Instead of the time that was offered, because only the service knows if it is still free. */
export const inNextSlot = <A extends { readonly schedule_at?: string; readonly scheduled_at?: string | null }>({
  schedule_at: _new,
  scheduled_at: _changed,
  ...body
}: A) => ({ ...body, schedule: "next_slot" as const })

/**
 * Keeps texts for removed platforms, in case they are added again.
 * @param post Undefined for a draft that this form created.
 */
export const toPatch = (
  form: ComposeForm,
  platforms: ReadonlyArray<LivePlatform>,
  order: Order,
  post: PostJson | undefined
) => ({
  ...members(form, platforms),
  ...((post === undefined || canChangePlatforms(post)) && { platforms }),
  status: order.status,
  scheduled_at: order.at
})
