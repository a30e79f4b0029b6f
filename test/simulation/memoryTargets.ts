import { Array as Arr, DateTime, Deferred, Duration, Effect, Exit, Option, Queue, Schema } from "effect"
import { monotonicMillis } from "../../src/domain/monotonic.ts"
import { ClaimLost, ClaimUncertain, DatabaseUnavailable } from "../../src/domain/errors.ts"
import type { ClaimToken } from "../../src/domain/ids.ts"
import { chainFor } from "../../src/domain/posts/thread.ts"
import { restUnsent } from "../../src/domain/publishing/resolution.ts"
import { rollUp } from "../../src/domain/publishing/rollUp.ts"
import {
  holdsWithoutClaim,
  isProcessing,
  isRecognized,
  isUncounted,
  mayBePublished,
  ordersResend,
  publicationOf,
  type TargetSettlement
} from "../../src/domain/publishing/settlement.ts"
import { dueFrom } from "../../src/repo/targets/claimRow.ts"
import { looksBefore } from "../../src/repo/targets/targetChange.ts"
import { recognizedByText } from "../../src/repo/targets/deletedTargets.ts"
import {
  type Claim,
  nothingAhead,
  type OfAccount,
  type Send,
  type SettledPost,
  type Targets
} from "../../src/repo/targets/Targets.ts"
import type { Connection } from "./connection.ts"
import { onDatabaseClock } from "./databaseClock.ts"
import { type Ids, shortId } from "./ids.ts"
import { type AbandonedClaim, abandonedPause, claimTargets } from "./memoryClaim.ts"
import type { MemoryDatabase, Transaction } from "./memoryDatabase.ts"
import { shownStatus, targetsOf } from "./memoryPosts.ts"
import { resolvePublished } from "./memoryResolve.ts"
import type { Process } from "./process.ts"
import type { TargetRow } from "./rows.ts"
import { atNextPart, withPart } from "./threadRows.ts"
import { minute, second, type World } from "./world.ts"

/** A claim that left before its process learned that it can't store outcomes can arrive this much later. */
const longestClaim = 15 * second

const settlingRefused = new DatabaseUnavailable({ operation: "settling", cause: "no further connection" })

const hasText = Schema.is(Schema.Struct({ text: Schema.String }))

const now = Effect.map(DateTime.now, DateTime.toEpochMillis)

/** The values of the row at the time of the claim, which beginSend overwrote. */
const beforeSend = ({ reconcileAttempts, resendOrdered, sentAt }: Claim, isAbsent = false) => ({
  resendOrdered,
  reconcileAttempts: looksBefore({ reconcileAttempts }),
  sentAt: sentAt === null || isAbsent ? null : DateTime.toEpochMillis(sentAt)
})

/** As src/repo/targets/settle.ts does, at a time by the process's and by the database's clock. */
const settleRow = (
  row: TargetRow,
  claim: Claim,
  settlement: TargetSettlement,
  at: number,
  databaseNow: number
): TargetRow => {
  const publication = publicationOf(settlement)
  const out = publication !== undefined && claim.isThread ? withPart(row, publication, at) : {}
  const [first] = row.parts ?? []
  const begins =
    claim.isThread && (settlement._tag === "Continued" || mayBePublished(settlement) || claim.sentAt !== null)
  const ended = {
    ...row,
    ...out,
    ...(begins && row.begunAt === null ? { begunAt: databaseNow } : {}),
    ...(mayBePublished(settlement)
      ? {}
      : beforeSend(claim, settlement._tag === "Failed" && settlement.isAbsent === true)),
    ...(ordersResend(settlement) ? { resendOrdered: true } : {}),
    token: null,
    leaseUntil: null,
    dueAt: null,
    dueSince: null,
    publishedAt: null,
    processingSince: null,
    url: null,
    platformPostId: null
  }
  switch (settlement._tag) {
    case "Published":
      return {
        ...ended,
        status: "published",
        prepared: row.prepared === null ? null : {},
        publishedAt: at,
        url: first === undefined ? settlement.publication.url : first.url,
        platformPostId: first === undefined ? settlement.publication.platformPostId : first.id,
        partUploads: null,
        error: null
      }
    case "Continued": {
      const next = settlement.next === null ? null : DateTime.toEpochMillis(settlement.next)
      const moment = Math.min(at, databaseNow)
      const dueSince = row.dueSince ?? 0
      const due =
        next === null
          ? Math.min(row.dueAt ?? 0, Math.max(dueSince, moment))
          : Math.max(dueSince, onDatabaseClock(next, at, databaseNow))
      return {
        ...ended,
        ...atNextPart(row),
        status: row.status === "failed" ? "failed" : "pending",
        dueAt: row.dueAt === null ? null : due,
        dueSince: row.dueSince === null ? null : Math.max(dueSince, moment),
        error: row.status === "failed" ? restUnsent({ part: row.part, parts: claim.parts }) : null
      }
    }
    case "Retry":
      return {
        ...ended,
        status: "pending",
        attempts: row.attempts - Number(isUncounted(settlement)),
        dueAt: onDatabaseClock(Math.floor(DateTime.toEpochMillis(settlement.at)), at, databaseNow),
        dueSince: row.dueSince,
        processingSince: row.processingSince,
        error: settlement.error
      }
    case "Making":
    case "Taken":
      return {
        ...ended,
        status: "pending",
        attempts: row.attempts - 1,
        reconcileAttempts: looksBefore(claim),
        dueAt: onDatabaseClock(Math.floor(DateTime.toEpochMillis(settlement.at)), at, databaseNow),
        dueSince: row.dueSince,
        processingSince: row.processingSince ?? Math.min(at, databaseNow),
        ...(settlement._tag === "Making" ? { prepared: settlement.begun } : {}),
        error: null
      }
    case "Failed":
      return { ...ended, status: "failed", error: settlement.error }
  }
}

const describe = (settlement: TargetSettlement): string => {
  switch (settlement._tag) {
    case "Published":
      return "published"
    case "Continued":
      return "continued"
    case "Making":
    case "Taken":
      return "processing"
    case "Retry":
      return `again later: ${settlement.error.code}`
    case "Failed":
      return `failed: ${settlement.error.code}`
  }
}

/** The Targets of src/repo/targets for one process. */
export const makeMemoryTargets = Effect.fnUntraced(function* (
  world: World,
  database: MemoryDatabase,
  process: Process,
  ids: Ids,
  { statement, transaction }: Connection
) {
  const isOnAccount =
    (claim: OfAccount) =>
    ({ accountId, platform }: TargetRow) =>
      platform === claim.platform && accountId === claim.accountId

  const othersThatExist = (open: Transaction, claim: OfAccount) =>
    open.targets.all().filter((row) => row.id !== claim.targetId && isOnAccount(claim)(row))

  /** The other targets on the claim's account, and deleted targets that own posts there. */
  const others = (open: Transaction, claim: OfAccount) => [
    ...othersThatExist(open, claim),
    ...open.deletedTargets.all().filter((row) => isOnAccount(claim)(row) && recognizedByText.includes(row.platform))
  ]

  /** The platform's ids of other targets' posts, and of published parts of the claim's thread. */
  const owned = (open: Transaction, claim: OfAccount): ReadonlySet<string> => {
    const own = open.targets.get(claim.targetId)
    return new Set([
      ...others(open, claim).flatMap(({ partIds, platformPostId }) => [platformPostId ?? [], partIds ?? []].flat()),
      ...(own?.partIds ?? [])
    ])
  }

  const findClaimed = (
    open: Transaction,
    claim: { readonly targetId: TargetRow["id"]; readonly token: TargetRow["token"] }
  ) =>
    Effect.suspend(() => {
      const row = open.targets.get(claim.targetId)
      return row === undefined || row.token !== claim.token ? Effect.fail(new ClaimLost()) : Effect.succeed(row)
    })

  /**
   * The target to which a settlement is written. Without the claim, only facts that hold regardless of it are written.
   */
  const findSettled = (open: Transaction, claim: Claim, settlement: TargetSettlement) =>
    Effect.suspend(() => {
      const row = open.targets.get(claim.targetId)
      const post = open.posts.get(claim.postId)
      if (row === undefined || post === undefined) return Effect.fail(new ClaimLost())
      const isLate =
        holdsWithoutClaim(settlement, claim.sentAt !== null) &&
        row.sendToken === claim.token &&
        row.status !== "published" &&
        (publicationOf(settlement) !== undefined ||
          ((post.status === "publishing" || post.status === "failed") &&
            row.error?.code !== "rejected" &&
            (row.token === null || recognizedByText.includes(row.platform))))
      const id = publicationOf(settlement)?.platformPostId ?? null
      const isTaken =
        isRecognized(settlement) &&
        recognizedByText.includes(claim.platform) &&
        id !== null &&
        owned(open, claim).has(id)
      const isSamePart = row.part === claim.part
      return isSamePart && (row.token === claim.token || isLate) && !isTaken
        ? Effect.succeed(row)
        : Effect.fail(new ClaimLost())
    })

  /** Schedules a post again if no target was sent or is in flight, as src/repo/targets/release.ts does. */
  const reschedule = (open: Transaction, postId: TargetRow["postId"]) => {
    const post = open.posts.get(postId)
    if (post?.status !== "publishing") return
    const isBegun = ({ part, sentAt, status }: TargetRow) => status !== "pending" || sentAt !== null || part > 1
    if (targetsOf(open, postId).some(isBegun)) return
    open.posts.put(postId, { ...post, status: "scheduled" })
  }

  /** Returns undecodable targets to the queue for a minute, as src/repo/targets/setAside.ts does. */
  const setUnreadableAside = Effect.fnUntraced(function* (claims: ReadonlyArray<Claim>) {
    const now = world.now()
    const unreadable = claims.filter(({ postId }) => (database.unreadablePosts.get(postId) ?? 0) > now)
    if (unreadable.length === 0) return claims
    world.count("post unreadable")
    yield* Effect.ignore(
      statement("setting targets aside", (open) =>
        Effect.sync(() => {
          for (const { targetId, token } of unreadable) {
            const row = open.targets.get(targetId)
            if (row === undefined || row.token !== token || row.dueAt === null) continue
            open.targets.put(targetId, {
              ...row,
              status: "pending",
              token: null,
              leaseUntil: null,
              attempts: row.attempts - 1,
              reconcileAttempts: Math.max(row.reconcileAttempts - 1, 0),
              dueAt: Math.max(row.dueAt, world.now()) + minute
            })
            reschedule(open, row.postId)
            world.log(process.name, `sets target ${shortId(targetId)} aside`)
          }
        })
      )
    )
    // The targets may have become readable in the meantime.
    return claims.filter((each) => !unreadable.includes(each))
  })

  const rollUpPost = Effect.fnUntraced(function* (open: Transaction, postId: TargetRow["postId"], at: number) {
    const post = open.posts.get(postId)
    if (post === undefined) return yield* Effect.die("A settled target has no post")
    const targets = targetsOf(open, post.id)
    const status = rollUp(targets.map(shownStatus), post.status)
    const publishedAt = status === "published" ? at : null
    open.posts.put(post.id, { ...post, status, publishedAt, scheduledAt: post.scheduledAt ?? publishedAt })
    return {
      workspaceId: post.workspaceId,
      postId: post.id,
      status,
      content: post.content,
      targets: targets.map((row) => {
        const { error, platform, url } = row
        return { platform, status: shownStatus(row), url, error }
      })
    } satisfies SettledPost
  })

  /** Failed claims by token, each until its lease ends. */
  const lostClaims = new Map<ClaimToken, number>()

  const abandonedClaims: Array<AbandonedClaim> = []

  const claim: Targets["claim"] = (limit, lease, options) =>
    Effect.gen(function* () {
      const at = yield* DateTime.now
      const asked = yield* monotonicMillis
      const token = ids.token()()
      for (const [lost, until] of lostClaims) if (until <= DateTime.toEpochMillis(at)) lostClaims.delete(lost)
      const claimed = yield* statement("claiming", (open) =>
        Effect.sync(() => {
          const refusedSince = process.settlingRefusedSince() ?? world.now()
          if (world.now() > refusedSince + longestClaim)
            world.violate(`${process.name} claims while it can't store outcomes`)
          return claimTargets(database, open, {
            limit,
            lease,
            owner: options?.owner,
            slots: options?.slots,
            now: at,
            databaseNow: world.now(),
            within: Duration.toMillis(options?.within ?? Duration.zero),
            token,
            lost: lostClaims,
            abandoned: abandonedClaims
          })
        })
      ).pipe(
        Effect.onError(() =>
          Effect.sync(() => void lostClaims.set(token, DateTime.toEpochMillis(DateTime.addDuration(at, lease))))
        )
      )
      const answered = yield* monotonicMillis
      for (const {
        claim: { attempts, reconcileAttempts, targetId }
      } of claimed) {
        process.claimTokens.set(targetId, new Set([...(process.claimTokens.get(targetId) ?? []), token]))
        world.log(
          process.name,
          `claims target ${shortId(targetId)}, attempt ${attempts}, reconciliation ${reconcileAttempts}`
        )
      }
      world.count("tick")
      return claimed.map(({ claim: own, ...due }) => ({ ...own, dueFrom: dueFrom(due, { asked, answered }) }))
    }).pipe(Effect.flatMap(setUnreadableAside))

  /** As src/repo/targets/beginSend.ts. */
  const storeIntents = (sends: ReadonlyArray<Send>, lease: Duration.Duration) =>
    Effect.flatMap(DateTime.now, (at) => {
      if (sends.length > 1) world.count("batch of intents")
      return statement("beginning to send", (open) =>
        Effect.forEach(sends, ({ claim, prepared }) =>
          Effect.exit(
            Effect.map(findClaimed(open, claim), (row) => {
              open.targets.put(row.id, {
                ...row,
                prepared,
                sentAt: Math.min(DateTime.toEpochMillis(at), world.now()),
                sendToken: claim.token,
                resendOrdered: false,
                reconcileAttempts: 0,
                processingSince: null,
                leaseUntil: DateTime.toEpochMillis(DateTime.addDuration(at, lease))
              })
              world.log(process.name, `begins to send target ${shortId(row.id)}`)
              const account = open.integrations.get(row.integrationId)
              return account?.accountId === claim.accountId ? new TextEncoder().encode(account.credentials) : undefined
            })
          )
        )
      )
    })

  const beginSend: Targets["beginSend"] = (claim, prepared, lease) =>
    Effect.flatMap(storeIntents([{ claim, prepared }], lease), ([stored = Exit.die("No result")]) => stored)

  const beginSends: Targets["beginSends"] = (sends, lease) =>
    // A statement that does not wait for locks can't know if the claim is lost.
    Effect.map(storeIntents(sends, lease), Arr.map(Exit.mapError(() => new ClaimUncertain())))

  const release: Targets["release"] = (claim) =>
    statement("releasing a claim", (open) =>
      Effect.map(Effect.andThen(database.lock(open, claim.postId), findClaimed(open, claim)), (row) => {
        open.targets.put(row.id, {
          ...row,
          status: "pending",
          token: null,
          leaseUntil: null,
          attempts: row.attempts - 1,
          ...beforeSend(claim)
        })
        reschedule(open, row.postId)
        world.log(process.name, `releases target ${shortId(row.id)}`)
      })
    )

  const withdraw: Targets["withdraw"] = (claim) =>
    statement("withdrawing an intent", (open) =>
      Effect.sync(() => {
        const row = open.targets.get(claim.targetId)
        if (row === undefined || row.sendToken !== claim.token || row.sentAt === null) return
        if (row.status !== "pending") return
        open.targets.put(row.id, { ...row, ...beforeSend(claim), sendToken: null })
        world.count("intent withdrawn")
        world.log(process.name, `withdraws its intent to send target ${shortId(row.id)}`)
      })
    )

  const abandon: Targets["abandon"] = ({ targetId, token }) =>
    Effect.map(now, (at) => {
      const from = at + abandonedPause
      abandonedClaims.push({ targetId, token, from, until: from + 10 * minute })
      world.count("claim abandoned")
    })

  /** In a crowded simulation, other outcomes arrive during this pause and form the next batch. */
  const linger = Effect.suspend(() =>
    world.isCrowded() ? Effect.andThen(world.sleep(world.prng.between(50, 600)), process.untilRunning) : Effect.void
  )

  const refuseSettling = <A, E, R>(allowed: Effect.Effect<A, E, R>): Effect.Effect<A, E | DatabaseUnavailable, R> =>
    Effect.suspend((): Effect.Effect<A, E | DatabaseUnavailable, R> => {
      if (process.settlingRefusedSince() === undefined) return allowed
      world.count("settling refused")
      return process.whenRunning(() => Effect.fail(settlingRefused))
    })

  const settleAll: Targets["settleAll"] = (batch, record) =>
    transaction(
      "settling",
      Effect.gen(function* () {
        const at = yield* now
        if (batch.length > 1) world.count("batch of settlements")
        yield* linger
        const lost = yield* statement("settling targets", (open) =>
          Effect.gen(function* () {
            open.settlesBatch = batch.length > 1
            // Fails as if a row of the batch can't be written.
            if (batch.length > 1 && world.prng.chance(0.2)) {
              world.count("batch refused")
              return yield* Effect.die("The batch is refused")
            }
            for (const postId of new Set(batch.map((each) => each.claim.postId).toSorted())) {
              yield* database.lock(open, postId)
            }
            const written = yield* Effect.forEach(batch, ({ claim, settlement }) =>
              Effect.match(findSettled(open, claim, settlement), {
                onFailure: () => [claim],
                onSuccess: (row) => {
                  open.targets.put(row.id, settleRow(row, claim, settlement, at, world.now()))
                  if (isProcessing(settlement))
                    world.count(settlement._tag === "Making" ? "post prepared" : "post processed")
                  else if (settlement._tag === "Retry" && settlement.isOpen === true) world.count("outcome left open")
                  else if (isUncounted(settlement)) world.count("thread waits for a limit")
                  world.log(process.name, `settles target ${shortId(row.id)}: ${describe(settlement)}`)
                  return []
                }
              })
            )
            return written.flat()
          })
        )
        const settled = batch.map((each) => each.claim).filter((claim) => !lost.includes(claim))
        if (settled.length === 0) return { lost, posts: [] }
        yield* linger
        const posts = yield* statement("rolling posts up", (open) =>
          Effect.forEach(new Set(settled.map((claim) => claim.postId)), (postId) => rollUpPost(open, postId, at))
        )
        yield* record({ lost, posts })
        return { lost, posts }
      })
    )

  /** Draws no fault, so that other simulations stay the same. */
  const probeSettling = Effect.suspend(() =>
    process.whenRunning(() =>
      database.isUnavailable() || process.isPartitioned() ? Effect.fail(settlingRefused) : Effect.void
    )
  )

  const settle: Targets["settle"] = Effect.fnUntraced(function* (claim, settlement) {
    const { posts } = yield* settleAll([{ claim, settlement }], () => Effect.void)
    return posts[0] ?? (yield* new ClaimLost())
  })

  const resolve: Targets["resolve"] = (key, resolution) =>
    transaction(
      "resolving a target",
      Effect.gen(function* () {
        const at = yield* now
        return yield* statement("writing a person's answer", (open) =>
          Effect.gen(function* () {
            yield* database.lock(open, key.postId)
            const { resolved, row, wakes } = yield* resolvePublished(open, key, resolution, {
              at,
              databaseNow: world.now()
            })
            open.targets.put(row.id, row)
            open.notifies ||= wakes
            return { posts: [yield* rollUpPost(open, row.postId, at)], resolved }
          })
        )
      })
    )

  const nextDue: Targets["nextDue"] = (since, { lead, within } = nothingAhead) =>
    Effect.flatMap(now, (at) =>
      statement("looking ahead", () => {
        const moment = Math.min(at, world.now())
        const claimed = moment - (at - DateTime.toEpochMillis(since))
        let next = Number.POSITIVE_INFINITY
        let nextPending = Number.POSITIVE_INFINITY
        const dueUntil = claimed + Duration.toMillis(within)
        let isAnyLeft = false
        for (const {
          dueAt,
          leaseUntil,
          ownerId,
          ownerToken,
          status,
          token
        } of database.committed.openTargets.values()) {
          const isPending = status === "pending"
          const time = isPending ? dueAt : status === "publishing" ? leaseUntil : null
          if (time === null) continue
          if (time <= (isPending ? dueUntil : claimed)) isAnyLeft = true
          if (time > claimed && isPending) nextPending = Math.min(nextPending, time)
          if (time > claimed && !isPending) next = Math.min(next, time + at - moment)
          const isOwned = status === "publishing" && ownerId !== null && ownerToken === token
          if (isOwned && (database.processLeases.get(ownerId) ?? 0) <= world.now()) isAnyLeft = true
        }
        next = Math.min(
          next,
          (nextPending <= dueUntil ? nextPending : nextPending - Duration.toMillis(lead)) + at - moment
        )
        for (const until of database.processLeases.values()) {
          if (until > world.now()) next = Math.min(next, until + at - moment)
        }
        return Effect.succeed({
          isAnyLeft,
          at: next === Number.POSITIVE_INFINITY ? Option.none() : Option.some(DateTime.makeUnsafe(next))
        })
      })
    )

  /** `close` runs when the session ends. */
  const beginListening = (onWake: Effect.Effect<unknown>, close: () => void) =>
    Effect.gen(function* () {
      const notifications = yield* Queue.unbounded<void>()
      const notify = () => {
        if (!process.isPartitioned()) Queue.offerUnsafe(notifications, undefined)
      }
      const stop = yield* Effect.acquireRelease(
        Effect.sync(() => database.listen({ notify, close })),
        (stop) => Effect.sync(stop)
      )
      process.onKill(stop)
      const wakeNext = Queue.take(notifications).pipe(Effect.andThen(process.untilRunning), Effect.andThen(onWake))
      return { waking: Effect.forever(wakeNext) }
    })

  const listen: Targets["listen"] = (onWake) =>
    Effect.gen(function* () {
      const closed = yield* Deferred.make<never, DatabaseUnavailable>()
      yield* statement("listening", () => Effect.void)
      const { waking } = yield* beginListening(onWake, () =>
        Deferred.doneUnsafe(closed, Effect.fail(new DatabaseUnavailable({ operation: "listening", cause: "" })))
      )
      yield* onWake
      return yield* Effect.raceFirst(waking, Deferred.await(closed))
    }).pipe(Effect.scoped)

  // Each process takes every request to publish for its own, and ticks once more than for the notification.
  const listenHere: Targets["listenHere"] = (onWake) =>
    beginListening(onWake, () => undefined).pipe(
      Effect.flatMap(({ waking }) => waking),
      Effect.scoped
    )

  // No simulation restores a database.
  const otherVersions = () => Effect.succeed({ found: null, awaited: null })

  // No simulated platform delivers an address later.
  const dueAddresses = () => Effect.die("Unexpected repo.targets.dueAddresses")
  const storeAddress = () => Effect.die("Unexpected repo.targets.storeAddress")

  // No simulation lasts that long.
  const forgetDeleted = () => Effect.die("Unexpected repo.targets.forgetDeleted")

  // A simulation serves no metrics.
  const backlog = Effect.die("Unexpected repo.targets.backlog")

  const publishedByOthers: Targets["publishedByOthers"] = (claim, ids) =>
    statement("finding the published posts of other targets", (open) =>
      Effect.succeed(owned(open, claim).intersection(new Set(ids)))
    )

  const unresolvedOthers: Targets["unresolvedOthers"] = (claim, since) =>
    statement("finding unresolved targets", (open) =>
      Effect.succeed(
        others(open, claim)
          .toSorted((left, right) => (right.sentAt ?? 0) - (left.sentAt ?? 0))
          .flatMap(({ prepared, sentAt, status }) =>
            status !== "published" && sentAt !== null && sentAt >= DateTime.toEpochMillis(since) && hasText(prepared)
              ? [prepared.text]
              : []
          )
      )
    )

  const publishedWithText: Targets["publishedWithText"] = (claim) =>
    statement("finding a published post by its text", (open) =>
      Effect.succeed(
        Option.gen(function* () {
          const published = othersThatExist(open, claim)
            .filter(
              ({ platformPostId, status, workspaceId }) =>
                status === "published" && platformPostId !== null && workspaceId === claim.workspaceId
            )
            .toSorted((left, right) => ((left.platformPostId ?? "") < (right.platformPostId ?? "") ? 1 : -1))
          const same = published.find((row) => {
            const post = open.posts.get(row.postId)
            if (post === undefined) return false
            return chainFor(claim.platform, post).some(({ text }) => text.trim() === claim.text.trim())
          })
          const { postId, publishedAt } = yield* Option.fromUndefinedOr(same)
          return { postId, publishedAt: yield* Option.flatMap(Option.fromNullOr(publishedAt), DateTime.make) }
        })
      )
    )

  return {
    claim,
    beginSend,
    beginSends,
    release,
    withdraw,
    abandon,
    settle,
    settleAll: (batch, record) => refuseSettling(settleAll(batch, record)),
    openSettling: refuseSettling(Effect.void),
    probeSettling: refuseSettling(probeSettling),
    resolve,
    nextDue,
    backlog,
    publishedByOthers,
    unresolvedOthers,
    publishedWithText,
    dueAddresses,
    storeAddress,
    otherVersions,
    forgetDeleted,
    listen,
    listenHere
  } satisfies Targets
})
