import { diffArrays } from "diff"
import { livePlatforms, namePlatforms } from "../../../domain/plain/platforms.ts"
import type { LivePlatform } from "../../../domain/platform.ts"
import type { Post } from "../../../domain/posts/post.ts"

type PostJson = typeof Post.Encoded
type ThreadPart = PostJson["thread"][number]

export interface TextChange {
  /** The part of a thread that it is about, from 1; undefined where neither version has a thread. */
  readonly part: number | undefined
  /** The platform whose own text it is; undefined for the text of all others. */
  readonly platform: LivePlatform | undefined
  readonly before: string
  readonly after: string
  /** What has become of the part besides, such as `added`. */
  readonly note: string | undefined
}

type Texts = Pick<PostJson, "content" | "platform_overrides" | "thread">

/** A part of a version. What is not known of it, as the former files of the first one, is undefined. */
type Part = Pick<ThreadPart, "content" | "platform_overrides"> & Partial<Pick<ThreadPart, "media" | "platforms">>

interface Pair {
  readonly before?: Part
  readonly after?: Part
  readonly number: number
}

const partsOf = ({ content, platform_overrides, thread }: Texts): ReadonlyArray<Part> => [
  { content, platform_overrides },
  ...thread
]

/** What two parts have in common where their texts are the same. */
const keyOf = ({ content, platform_overrides: overrides }: Part): string =>
  JSON.stringify([content, ...livePlatforms.map((platform) => overrides[platform])])

/** Which part of one version has become which of the other. Between parts that stayed, the first left ones belong together. */
const pair = (before: ReadonlyArray<Part>, after: ReadonlyArray<Part>): ReadonlyArray<Pair> => {
  const pairs: Array<Pair> = []
  let removed: Array<Part> = []
  let added: Array<Part> = []
  let [from, to] = [0, 0]
  const flush = () => {
    const [first, second] = [from - removed.length, to - added.length]
    for (let index = 0; index < Math.max(removed.length, added.length); index++) {
      const [left, right] = [removed[index], added[index]]
      pairs.push({
        ...(left !== undefined && { before: left }),
        ...(right !== undefined && { after: right }),
        number: 1 + (right === undefined ? first : second) + index
      })
    }
    removed = []
    added = []
  }
  for (const change of diffArrays(before.map(keyOf), after.map(keyOf))) {
    if (change.removed) {
      removed = before.slice(from, from + change.count)
      from += change.count
    } else if (change.added) {
      added = after.slice(to, to + change.count)
      to += change.count
    } else {
      flush()
      for (let index = 0; index < change.count; index++, from++, to++) {
        const [left, right] = [before[from], after[to]]
        if (left !== undefined && right !== undefined) pairs.push({ before: left, after: right, number: to + 1 })
      }
    }
  }
  flush()
  return pairs
}

const filesOf = (media: ThreadPart["media"]): string => JSON.stringify(media.map(({ alt, id }) => [id, alt]))

/** What has become of a part besides its texts. */
const notesOf = ({ after, before }: Pair): ReadonlyArray<string> => {
  if (before === undefined) return ["added"]
  if (after === undefined) return ["removed"]
  const { media: oldFiles, platforms: oldPlatforms = null } = before
  const { media: files, platforms = null } = after
  const isElsewhere = JSON.stringify(platforms?.toSorted()) !== JSON.stringify(oldPlatforms?.toSorted())
  return [
    ...(oldFiles !== undefined && files !== undefined && filesOf(oldFiles) !== filesOf(files) ? ["other files"] : []),
    ...(isElsewhere ? [platforms === null ? "on all platforms now" : `only on ${namePlatforms(platforms)} now`] : [])
  ]
}

const nothing: Part = { content: "", platform_overrides: {} }

/** The texts that a part has, or had, and how they differ. A platform's own text is compared with what it got before. */
const textsOf = ({ after = nothing, before = nothing }: Pair) => {
  const own = livePlatforms.flatMap((platform) => {
    const [from, to] = [before.platform_overrides[platform], after.platform_overrides[platform]]
    return from === to ? [] : [{ platform, before: from ?? before.content, after: to ?? after.content }]
  })
  const shared = { platform: undefined, before: before.content, after: after.content }
  return [shared, ...own].filter((text) => text.before !== text.after)
}

const changesOf = (found: Pair, isThread: boolean): ReadonlyArray<TextChange> => {
  const notes = notesOf(found)
  const note = notes.length === 0 ? undefined : notes.join(", ")
  const part = isThread ? found.number : undefined
  const texts = textsOf(found).map((text, index): TextChange => ({
    ...text,
    part,
    note: index === 0 ? note : undefined
  }))
  return texts.length > 0 || note === undefined ? texts : [{ part, platform: undefined, before: "", after: "", note }]
}

/** What differs between two versions of a post, part by part. */
export const changedTexts = (before: Texts | null, after: Texts): ReadonlyArray<TextChange> => {
  if (before === null) return []
  const isThread = before.thread.length > 0 || after.thread.length > 0
  return pair(partsOf(before), partsOf(after)).flatMap((found) => changesOf(found, isThread))
}
