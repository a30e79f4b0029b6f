import { Duration } from "effect"
import type { PostId, TargetId } from "../../src/domain/ids.ts"
import type { PostStatus, TargetStatus } from "../../src/domain/posts/post.ts"
import { attemptWindow, longestThreadWait, maxAttempts } from "../../src/domain/publishing/retryPolicy.ts"
import { isPageUrn } from "../../src/platforms/linkedin/syntax.ts"
import { chainFor } from "../../src/domain/posts/thread.ts"
import { accountsInFlightTwice, brokenPostConstraints, brokenTargetConstraints } from "./constraints.ts"
import { shortId } from "./ids.ts"
import type { MemoryDatabase } from "./memoryDatabase.ts"
import type { PlatformRequest } from "./platformServer.ts"
import type { Process } from "./process.ts"
import { brokenOutcome, isGivenUp } from "./openOutcomes.ts"
import { makePublications } from "./publications.ts"
import { type AcceptedPost, brokenThread } from "./threads.ts"
import type { Change, Changes, PostRow, TargetRow } from "./rows.ts"
import { minute, type World } from "./world.ts"

/**
 * The invariants of publishing. They are checked at every commit, every request to a platform and every post that it
 * accepts.
 */
export interface Invariants {
  /**
   * A process sends a request to publish. `room` is the number of posts that the account can still send, according to
   * the limit that the process last got.
   */
  readonly onSend: (process: Process, request: PlatformRequest, accountId: string, text: string, room?: number) => void
  /** A process requests an account's timeline. */
  readonly onTimelineRequest: (process: Process, accountId: string) => void
  readonly onTimeline: (process: Process, accountId: string, texts: ReadonlyArray<string>) => void
  /** A platform publishes a post under its own id. */
  readonly onAccepted: (request: PlatformRequest, text: string, platformPostId: string, accepted: AcceptedPost) => void
  readonly onAcknowledged: (id: PostId) => void
  /** Called after the faults have ended and every post has had time to be published. */
  readonly checkEnd: () => void
}

/** A send can start this long after the attempt window, because of clock skew and the duration of a send. */
const slack = Duration.toMillis(Duration.minutes(5))

/**
 * The most that a thread can wait after its account's limit was seen: the reset may be a period later, and clocks
 * differ.
 */
const lastReset = 15 * minute + slack

/**
 * True if the target's error says that the timeline does not show the post. Matches part of X's message in a
 * reconciliation.
 */
const isMissingOnTimeline = ({ error }: TargetRow) => error?.message.includes("has not shown") === true

/** True if a post is recognized on its account's timeline. Meta's platforms tell what became of a container or post. */
const isRead = ({ accountId, platform }: TargetRow) => platform === "twitter" || isPageUrn(accountId)

const resultOf = ({ error, status }: TargetRow) => (status === "failed" ? `${status} (${error?.code})` : status)

const hasEnded = (status: PostRow["status"] | TargetRow["status"]) => status === "published" || status === "failed"

/** A second implementation of src/domain/publishing/rollUp.ts. */
const expectedRollUp = (targets: ReadonlyArray<TargetStatus>): PostStatus => {
  if (targets.some((status) => status === "pending" || status === "publishing")) return "publishing"
  return targets.includes("failed") ? "failed" : "published"
}

/** If `faultFree`, also checks that every post is published in time. */
export const makeInvariants = (world: World, database: MemoryDatabase, faultFree: boolean): Invariants => {
  const { openTargets, posts, targets } = database.committed
  const publications = makePublications(world, database)
  const acknowledged = new Set<PostId>()
  const removed = new Set<PostId>()
  const givenUp = new Set<TargetId>()
  /** Claims whose process has received a timeline with the target. */
  const shown = new Set<string>()
  /** Claims whose process has received a timeline. */
  const looked = new Set<string>()

  const claimOf = ({ id, token }: TargetRow) => `${id} ${token}`
  const targetsOf = (id: PostId) => [...targets.values()].filter((row) => row.postId === id)
  const checkTarget = ({ after, before }: Change<TargetRow>) => {
    if (after === undefined) {
      if (before?.status === "publishing")
        world.violate(`target ${shortId(before.id)} is deleted while a send is in flight`)
      return
    }
    for (const name of brokenTargetConstraints(after)) world.violate(`target ${shortId(after.id)} violates ${name}`)
    publications.onTarget({ before, after })
    if (before !== undefined && isGivenUp(before) && !givenUp.has(before.id)) {
      givenUp.add(before.id)
      world.count("processes died in all attempts")
    }
    const isExcused = givenUp.has(after.id) || world.counts.has("service down for a day")
    const outcome = isExcused ? undefined : brokenOutcome(before, after, world.now())
    if (outcome !== undefined) world.violate(`target ${shortId(after.id)} on ${after.platform} ${outcome}`)
    const wasOpen = before !== undefined && !hasEnded(before.status) && before.error?.code === "outcome_unknown"
    if (wasOpen && hasEnded(after.status)) world.count(`${after.platform}: open, then ${resultOf(after)}`)
    const post = posts.get(after.postId)
    if (post !== undefined) {
      const wrong = brokenThread(before, after, chainFor(after.platform, post).length)
      if (wrong !== undefined) world.violate(`target ${shortId(after.id)} ${wrong}`)
    }
    const wasShown = before !== undefined && after.token === null && shown.has(claimOf(before))
    // A claim that is released keeps the error of an earlier attempt.
    const isMissing = after.token === null && after.error !== before?.error && isMissingOnTimeline(after)
    if (isMissing) world.count("target missing on the timeline")
    if (wasShown && isMissing) {
      world.violate(`target ${shortId(after.id)} was on the timeline, but was not recognized there`)
    }
  }

  const checkRollUp = (id: PostId) => {
    const post = posts.get(id)
    if (post === undefined) return
    const statuses = targetsOf(id).map((row) => row.status)
    // A failed post that is published again keeps its published targets, even if it becomes a draft.
    const holds =
      post.status === "draft" || post.status === "scheduled"
        ? statuses.every((status) => status === "pending" || status === "published")
        : post.status === expectedRollUp(statuses)
    if (!holds) world.violate(`post ${shortId(id)} is ${post.status}, but its targets are ${statuses.join(", ")}`)
  }

  const checkPost = ({ after, before }: Change<PostRow>, { notifications, targets: changedTargets }: Changes) => {
    if (after === undefined) {
      if (before !== undefined) removed.add(before.id)
      return
    }
    for (const name of brokenPostConstraints(after)) world.violate(`post ${shortId(after.id)} violates ${name}`)
    const own = notifications.filter(
      ({ notification: { event } }) =>
        (event.type === "post.published" || event.type === "post.failed") && event.metadata.post_id === after.id
    )
    // A post ends again if an outcome becomes known after its claim was lost.
    const ends =
      hasEnded(after.status) &&
      (before?.status !== after.status ||
        changedTargets.some(
          (target) => target.after?.postId === after.id && target.before?.error !== target.after.error
        ))
    if (
      own.length !== (ends ? 1 : 0) ||
      own.some(({ notification }) => notification.event.type !== `post.${after.status}`)
    ) {
      world.violate(
        `post ${shortId(after.id)} went from ${before?.status} to ${after.status} with ${own.length} notifications`
      )
    }
    if (ends) world.count(`post ended as ${after.status}`)
  }

  const checkIntegrations = (changes: Changes) => {
    for (const { after, before } of changes.integrations) {
      const own = changes.notifications.filter(
        ({ notification: { event } }) =>
          event.type === "integration.disconnected" && event.metadata.integration_id === after?.id
      )
      const disconnects = before?.status === "connected" && after?.status === "needs_reconnect"
      if (own.length !== (disconnects ? 1 : 0)) {
        world.violate(`account ${after?.id} was disconnected with ${own.length} notifications`)
      }
    }
  }

  database.onCommit((changes) => {
    for (const change of changes.posts) checkPost(change, changes)
    for (const change of changes.targets) checkTarget(change)
    const changedPosts = new Set(
      [...changes.posts, ...changes.targets].flatMap(({ after }) =>
        after === undefined ? [] : "postId" in after ? [after.postId] : [after.id]
      )
    )
    for (const id of changedPosts) {
      checkRollUp(id)
      const post = posts.get(id)
      if (post !== undefined) publications.onText(post, targetsOf(id))
    }
    checkIntegrations(changes)
    for (const id of accountsInFlightTwice(openTargets.values())) {
      world.violate(`account ${shortId(id)} has two targets in flight`)
    }
  })

  const onSend: Invariants["onSend"] = (process, request, accountId, text, room) => {
    const own = publications.onSend(process, request, accountId, text)
    const row = own === undefined ? undefined : targets.get(own.targetId)
    const post = row === undefined ? undefined : posts.get(row.postId)
    const violate = (what: string) => world.violate(`${process.name} sends “${text}” ${what}`)
    if (row === undefined || post === undefined) return violate("after it was deleted")
    // A late outcome may have ended the claim, and a repetition changes nothing.
    const isIdempotent = ["bluesky", "facebook", "youtube", "tiktok"].includes(row.platform)
    if (isIdempotent && (row.status === "published" || (own?.part ?? 0) < row.part)) return
    if (!publications.holdsClaim(process, row.id)) {
      return violate(`without a live claim: its post is ${post.status}`)
    }
    if (isRead(row) && publications.isAccepted(row)) {
      if (!looked.has(claimOf(row))) violate("again without a look at the timeline")
      if (shown.has(claimOf(row))) violate("again although the timeline shows it")
    }
    const leaseEnd = row.ownerId === null ? undefined : database.processLeases.get(row.ownerId)
    if (leaseEnd === undefined || leaseEnd <= world.now()) violate("after the end of its process's lease")
    if (chainFor(row.platform, post)[row.part - 1]?.text !== text) violate("after its text was changed")
    if (post.scheduledAt === null || post.scheduledAt > world.now()) violate("before its time")
    if (row.sentAt === null) violate("before the start of the send is stored")
    if (row.attempts > maxAttempts) violate(`in attempt ${row.attempts}`)
    const latest = (row.dueSince ?? 0) + Duration.toMillis(attemptWindow) + slack
    if (row.reconcileAttempts === 0 && world.now() > latest) violate("more than a day late")
    const { length } = chainFor(row.platform, post)
    const begins = own?.part === 1 && length > 1 && row.attempts === 1 && !looked.has(claimOf(row))
    const mayWait = world.now() < (row.dueSince ?? 0) + Duration.toMillis(longestThreadWait) - lastReset
    if (begins && mayWait && room !== undefined && room < length) violate(`of ${length} parts with room for ${room}`)
  }

  const onTimelineRequest: Invariants["onTimelineRequest"] = (process, accountId) => {
    for (const row of openTargets.values()) {
      if (row.token === null || row.accountId !== accountId) continue
      if (row.attempts > maxAttempts && publications.holdsClaim(process, row.id)) {
        world.violate(`${process.name} reconciles target ${shortId(row.id)} in attempt ${row.attempts}`)
      }
    }
  }

  const onTimeline: Invariants["onTimeline"] = (process, accountId, texts) => {
    for (const row of openTargets.values()) {
      if (row.accountId === accountId && publications.holdsClaim(process, row.id)) looked.add(claimOf(row))
    }
    for (const text of texts) {
      const [part, ...others] = publications.withText(accountId, text)
      // With equal texts, the timeline does not show which target's post it is.
      if (part === undefined || others.length > 0) continue
      const row = targets.get(part.targetId)
      if (row?.part === part.part && publications.holdsClaim(process, row.id)) shown.add(claimOf(row))
    }
  }

  const onAccepted: Invariants["onAccepted"] = (request, text, platformPostId, { files, reply }) => {
    const accepted = publications.onAccepted(request, text, platformPostId, reply)
    const row = accepted === undefined ? undefined : targets.get(accepted.targetId)
    const post = row === undefined ? undefined : posts.get(row.postId)
    const part =
      row === undefined || post === undefined ? undefined : chainFor(row.platform, post)[(accepted?.part ?? 0) - 1]
    const wanted = part?.media.length
    if (reply !== null) world.count("part accepted")
    if (files > 0) world.count("published with files")
    if (wanted !== undefined && wanted !== files)
      world.violate(`“${text}” was published with ${files} of ${wanted} files`)
    if (faultFree && world.now() > (row?.dueSince ?? world.now()) + 60_000) {
      world.violate(`“${text}” was published more than a minute late`)
    }
  }

  const checkEnd = () => {
    for (const post of posts.values()) {
      if (post.status !== "draft" && !hasEnded(post.status))
        world.violate(`post ${shortId(post.id)} is still ${post.status}`)
    }
    for (const id of acknowledged) {
      if (!posts.has(id) && !removed.has(id)) world.violate(`post ${shortId(id)} is lost`)
    }
    for (const row of targets.values()) {
      world.count(`${row.platform}: ${resultOf(row)}`)
      if (row.status !== "failed") continue
      if (faultFree) world.violate(`target ${shortId(row.id)} failed: ${row.error?.code}`)
      world.count(`target failed: ${row.error?.code}`)
    }
  }

  return {
    onSend,
    onTimelineRequest,
    onTimeline,
    onAccepted,
    onAcknowledged: (id) => void acknowledged.add(id),
    checkEnd
  }
}
