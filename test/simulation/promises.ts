import type { PostId, TargetId } from "../../src/domain/ids.ts"
import type { PostStatus, TargetStatus } from "../../src/domain/post.ts"
import { attemptWindow, maxAttempts } from "../../src/domain/retryPolicy.ts"
import { Duration } from "effect"
import { brokenByPost, brokenByTarget, crowded } from "./constraints.ts"
import { short } from "./ids.ts"
import type { Machine } from "./machine.ts"
import type { MemoryDatabase } from "./memoryDatabase.ts"
import type { Change, Changes, PostRow, TargetRow } from "./rows.ts"
import type { World } from "./world.ts"

/** What is known of a target beside its row: what people ordered, and what the platform took. */
interface Ledger {
  /** How often the platform may take it: once, and once more for each order to send again what may be out. */
  allowed: number
  /** When it was ordered last. */
  orderedAt: number
  /** When the requests left that the platform took. */
  readonly accepted: Array<number>
}

/** Watches over what the service promises, at every commit, every request and every acceptance. */
export interface Promises {
  /** A request to publish leaves a process. */
  readonly sends: (machine: Machine, accountId: string, text: string) => void
  /** A request for an account's timeline leaves a process. */
  readonly looks: (machine: Machine, accountId: string) => void
  /** A process has seen these posts on an account's timeline. */
  readonly shown: (machine: Machine, accountId: string, texts: ReadonlyArray<string>) => void
  /** A platform has made a post, of a request that left at a time. */
  readonly accepted: (accountId: string, text: string, leftAt: number) => void
  /** A person was told that a post is stored. */
  readonly acknowledged: (id: PostId) => void
  readonly atEnd: () => void
}

/** How much later than allowed a send may leave: the clock of its process is behind, and sending takes a while. */
const slack = Duration.toMillis(Duration.minutes(5))

/** Whether a person who orders this again knows that it may be out. */
const isSaidToBePerhapsOut = ({ error }: TargetRow) => error?.message.includes("it may be out already") === true

const hasEnded = (status: PostRow["status"]) => status === "published" || status === "failed"

/** What a post's targets make of it, stated a second time. */
const rolledUp = (targets: ReadonlyArray<TargetStatus>): PostStatus => {
  const open = targets.filter((status) => status === "pending" || status === "publishing").length
  if (open > 0) return "publishing"
  return targets.includes("failed") ? "failed" : "published"
}

/** Begins to watch; with `calm`, also that everything is out in time. */
export const makePromises = (world: World, database: MemoryDatabase, calm: boolean): Promises => {
  const { integrations, openTargets, posts, targets } = database.committed
  const ledgers = new Map<TargetId, Ledger>()
  const texts = new Map<string, TargetId>()
  const acknowledged = new Set<PostId>()
  const removed = new Set<PostId>()

  /** The claims under which a process has seen that the target is out. */
  const seen = new Set<string>()

  const textKey = (accountId: string, text: string) => `${accountId} ${text}`
  const targetsOf = (id: PostId) => [...targets.values()].filter((row) => row.postId === id)
  const ledgerOf = (id: TargetId): Ledger => {
    const known = ledgers.get(id)
    if (known !== undefined) return known
    const made: Ledger = { allowed: 1, orderedAt: world.now(), accepted: [] }
    ledgers.set(id, made)
    return made
  }

  /** A target that is said to have failed is not out, as far as it was ordered last, unless that is said too. */
  const checkTruth = (row: TargetRow) => {
    if (row.status !== "failed" || row.error === null || isSaidToBePerhapsOut(row)) return
    const { accepted, orderedAt } = ledgerOf(row.id)
    if (accepted.some((leftAt) => leftAt >= orderedAt)) {
      world.violated(`target ${short(row.id)} is said to have failed (${row.error.code}), and it is out`)
    }
  }

  const checkTarget = ({ after, before }: Change<TargetRow>) => {
    if (after === undefined) {
      if (before?.status === "publishing")
        world.violated(`target ${short(before.id)} is deleted while it is being sent`)
      return
    }
    const ledger = ledgerOf(after.id)
    if (before?.status === "failed" && after.status === "pending") {
      if (isSaidToBePerhapsOut(before)) ledger.allowed += 1
      ledger.orderedAt = world.now()
    }
    for (const name of brokenByTarget(after)) world.violated(`target ${short(after.id)} breaks ${name}`)
    if (after.status === "published" && ledger.accepted.length === 0) {
      world.violated(`target ${short(after.id)} is published, and the platform never took it`)
    }
    checkTruth(after)
    const wasSeen = before !== undefined && after.token === null && seen.has(`${before.id} ${before.token}`)
    if (wasSeen && after.error?.message.includes("has not shown") === true) {
      world.violated(`target ${short(after.id)} was seen on the timeline, and not recognized`)
    }
  }

  const checkRollUp = (id: PostId) => {
    const post = posts.get(id)
    if (post === undefined) return
    const statuses = targetsOf(id).map((row) => row.status)
    // A failed post that is to be published again keeps the targets that are live, also where it is taken back.
    const holds =
      post.status === "draft" || post.status === "scheduled"
        ? statuses.every((status) => status === "pending" || status === "published")
        : post.status === rolledUp(statuses)
    if (!holds) world.violated(`post ${short(id)} is ${post.status}, its targets are ${statuses.join(", ")}`)
  }

  const checkPost = ({ after, before }: Change<PostRow>, { notifications }: Changes) => {
    if (after === undefined) {
      if (before !== undefined) removed.add(before.id)
      return
    }
    for (const name of brokenByPost(after)) world.violated(`post ${short(after.id)} breaks ${name}`)
    for (const { id, integrationId } of targetsOf(after.id)) {
      texts.set(textKey(integrations.get(integrationId)?.accountId ?? "", after.content), id)
    }
    const told = notifications.filter(
      ({ notification: { event } }) =>
        (event.type === "post.published" || event.type === "post.failed") && event.metadata.post_id === after.id
    )
    const ends = hasEnded(after.status) && before?.status !== after.status
    if (
      told.length !== (ends ? 1 : 0) ||
      told.some(({ notification }) => notification.event.type !== `post.${after.status}`)
    ) {
      world.violated(
        `post ${short(after.id)} went from ${before?.status} to ${after.status} with ${told.length} notifications`
      )
    }
    if (ends) world.count(`post ended as ${after.status}`)
  }

  const checkIntegrations = (changes: Changes) => {
    for (const { after, before } of changes.integrations) {
      const told = changes.notifications.filter(
        ({ notification: { event } }) =>
          event.type === "integration.disconnected" && event.metadata.integration_id === after?.id
      )
      const disconnects = before?.status === "connected" && after?.status === "needs_reconnect"
      if (told.length !== (disconnects ? 1 : 0)) {
        world.violated(`account ${after?.id} was disconnected with ${told.length} notifications`)
      }
    }
  }

  database.onCommit((changes) => {
    for (const change of changes.posts) checkPost(change, changes)
    for (const change of changes.targets) checkTarget(change)
    const touched = new Set(
      [...changes.posts, ...changes.targets].flatMap(({ after }) =>
        after === undefined ? [] : "postId" in after ? [after.postId] : [after.id]
      )
    )
    for (const id of touched) checkRollUp(id)
    checkIntegrations(changes)
    for (const id of crowded(openTargets.values())) world.violated(`account ${short(id)} has two targets in flight`)
  })

  const sends: Promises["sends"] = (machine, accountId, text) => {
    const id = texts.get(textKey(accountId, text))
    const row = id === undefined ? undefined : targets.get(id)
    const post = row === undefined ? undefined : posts.get(row.postId)
    const wrong = (what: string) => world.violated(`${machine.name} sends “${text}” ${what}`)
    if (row === undefined || post === undefined) return wrong("after it was deleted")
    if (row.token === null || machine.tokens.get(row.id)?.has(row.token) !== true) {
      return wrong(`without a live claim: its post is ${post.status}`)
    }
    if (post.content !== text) wrong("after its text was changed")
    if (post.scheduledAt === null || post.scheduledAt > world.now()) wrong("before its time")
    if (row.sentAt === null) wrong("before it is stored that sending begins")
    if (row.attempts > maxAttempts) wrong(`in attempt ${row.attempts}`)
    const latest = (row.dueSince ?? 0) + Duration.toMillis(attemptWindow) + slack
    if (row.looks === 0 && world.now() > latest) wrong("more than a day late")
  }

  const looks: Promises["looks"] = (machine, accountId) => {
    for (const row of openTargets.values()) {
      if (row.token === null || integrations.get(row.integrationId)?.accountId !== accountId) continue
      if (row.attempts > maxAttempts && machine.tokens.get(row.id)?.has(row.token) === true) {
        world.violated(`${machine.name} looks for target ${short(row.id)} in attempt ${row.attempts}`)
      }
    }
  }

  const shown: Promises["shown"] = (machine, accountId, visible) => {
    for (const text of visible) {
      const id = texts.get(textKey(accountId, text))
      const token = id === undefined ? null : (targets.get(id)?.token ?? null)
      if (token !== null && id !== undefined && machine.tokens.get(id)?.has(token) === true) seen.add(`${id} ${token}`)
    }
  }

  const accepted: Promises["accepted"] = (accountId, text, leftAt) => {
    const id = texts.get(textKey(accountId, text))
    if (id === undefined) return world.violated(`“${text}” was accepted, and nobody ordered it`)
    const ledger = ledgerOf(id)
    ledger.accepted.push(leftAt)
    if (ledger.accepted.length > ledger.allowed) {
      world.violated(`“${text}” is out ${ledger.accepted.length} times, and ${ledger.allowed} were ordered`)
    }
    const row = targets.get(id)
    if (row === undefined) return
    checkTruth(row)
    if (calm && row.dueSince !== null && world.now() > row.dueSince + 60_000) {
      world.violated(`“${text}” is out more than a minute late`)
    }
  }

  return {
    sends,
    looks,
    shown,
    accepted,
    acknowledged: (id) => void acknowledged.add(id),
    atEnd: () => {
      for (const post of posts.values()) {
        if (post.status !== "draft" && !hasEnded(post.status))
          world.violated(`post ${short(post.id)} is still ${post.status}`)
      }
      for (const id of acknowledged) {
        if (!posts.has(id) && !removed.has(id)) world.violated(`post ${short(id)} is lost`)
      }
      for (const row of targets.values()) {
        if (calm && row.status === "failed") world.violated(`target ${short(row.id)} failed: ${row.error?.code}`)
        if (row.status === "failed") world.count(`target failed: ${row.error?.code}`)
      }
    }
  }
}
