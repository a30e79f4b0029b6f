import { isEnabled } from "../domain/enabled.ts"
import { excerpt } from "../domain/excerpt.ts"
import type { Library } from "../domain/media/mediaPlan.ts"
import type { AskedMention, Questions } from "../domain/outlook/answers.ts"
import type { PlannedSend } from "../domain/outlook/collisions.ts"
import { findDraftFaults, unreadablePost } from "../domain/outlook/draftFindings.ts"
import type { DueAccount, DuePost } from "../domain/outlook/duePost.ts"
import type { Finding } from "../domain/outlook/finding.ts"
import type { OutlookPost } from "../domain/outlook/outlook.ts"
import { findRuleFaults } from "../domain/outlook/ruleFindings.ts"
import type { LivePlatform } from "../domain/platform.ts"
import { measureSteps, needsSteps } from "../domain/posts/postTexts.ts"
import type { Rules } from "../domain/posts/platformRules.ts"
import { chainFor, threadMedia } from "../domain/posts/thread.ts"
import { findEntities } from "../domain/posts/text/entities.ts"
import type { FoundPost } from "../repo/outlooks/outlookPosts.ts"
import { sha256Hex } from "../repo/sha256.ts"

/** The most links of a post that are checked. */
const maxLinks = 5
const maxLinkLength = 2_000

/** A post as it is known before anything is asked, without its text. */
export interface Looked {
  readonly shown: Omit<OutlookPost, "findings" | "state">
  readonly findings: ReadonlyArray<Finding>
  /** The enabled platforms of a scheduled post. */
  readonly platforms: ReadonlyArray<LivePlatform>
  readonly sends: ReadonlyArray<PlannedSend>
  readonly questions: Questions
  readonly usd: number
}

interface Means {
  readonly rules: Rules
  readonly accounts: ReadonlyMap<LivePlatform, DueAccount>
  readonly library: Library
  readonly findMentions: (platform: LivePlatform, text: string) => ReadonlyArray<string>
}

const nothingAsked: Questions = { links: [], mentions: [], files: [], cardPictures: [] }

const linksIn = (texts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const links = texts.flatMap((text) =>
    findEntities(text).flatMap(({ feature }) =>
      feature._tag === "Link" && feature.uri.length <= maxLinkLength ? [feature.uri] : []
    )
  )
  return [...new Set(links)].slice(0, maxLinks)
}

const questionsOf = (
  post: DuePost,
  platforms: ReadonlyArray<LivePlatform>,
  { findMentions, library }: Means
): Questions => {
  const chains = platforms.map((platform) => ({ platform, texts: chainFor(platform, post).map(({ text }) => text) }))
  const media = new Set(threadMedia(post).map(({ id }) => id))
  const thumbs = [post.card, ...post.thread.map(({ card }) => card)]
  return {
    links: linksIn([...new Set(chains.flatMap(({ texts }) => texts))]),
    mentions: chains.flatMap(({ platform, texts }) =>
      texts.flatMap((text) => findMentions(platform, text).map((handle): AskedMention => ({ platform, handle })))
    ),
    files: library
      .filter(({ id }) => media.has(id))
      .flatMap(({ renditions }) => platforms.flatMap((platform) => renditions[platform]?.hash ?? [])),
    cardPictures: thumbs.flatMap((card) => card?.thumb?.hash ?? [])
  }
}

const sendsOf = (
  post: DuePost,
  platforms: ReadonlyArray<LivePlatform>,
  { accounts, rules }: Means
): ReadonlyArray<PlannedSend> =>
  platforms.map((platform) => {
    const compare = rules[platform]?.comparedText
    const texts = chainFor(platform, post).map(({ text }) => (compare ?? trimmed)(text))
    return {
      postId: post.id,
      at: post.scheduledAt,
      platform,
      integrationId: accounts.get(platform)?.id ?? null,
      texts: texts.filter((text) => text !== "").map(sha256Hex),
      refusesRepeats: compare !== undefined
    }
  })

const trimmed = (text: string): string => text.trim()

/** Published texts are compared in the same form. */
export const comparedForm = (rules: Rules, platform: LivePlatform, text: string): string =>
  sha256Hex((rules[platform]?.comparedText ?? trimmed)(text))

const costOf = (post: DuePost, platforms: ReadonlyArray<LivePlatform>, rules: Rules): number =>
  platforms.reduce((sum, platform) => {
    const texts = chainFor(platform, post).map(({ text }) => text)
    return sum + (rules[platform]?.estimateCost?.(texts).usd ?? 0)
  }, 0)

/** Everything that rules and the database say about a post. Measures a large text in steps. */
export function* lookAtPost(found: FoundPost, means: Means): Generator<void, Looked> {
  if (found._tag === "Unreadable") {
    const { id, scheduledAt, status } = found
    return {
      shown: { id, scheduled_at: scheduledAt, status, excerpt: "", platforms: [] },
      findings: [unreadablePost],
      platforms: [],
      sends: [],
      questions: nothingAsked,
      usd: 0
    }
  }
  const { post } = found
  const { content, id, platforms: named, scheduledAt, status } = post
  const shown = { id, scheduled_at: scheduledAt, status, excerpt: excerpt(content), platforms: named }
  if (status === "draft") {
    return { shown, findings: findDraftFaults(post), platforms: [], sends: [], questions: nothingAsked, usd: 0 }
  }
  const { library, rules } = means
  if (needsSteps(rules, post)) yield* measureSteps(rules, post)
  const platforms = named.filter((platform) => isEnabled(rules, platform))
  return {
    shown,
    findings: findRuleFaults(rules, post, library),
    platforms,
    sends: sendsOf(post, platforms, means),
    questions: questionsOf(post, platforms, means),
    usd: costOf(post, platforms, rules)
  }
}
