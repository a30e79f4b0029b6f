import { DateTime, Effect } from "effect"
import { ClaimLost } from "../../src/domain/errors.ts"
import type { ClaimToken, TargetId } from "../../src/domain/ids.ts"
import { isDueSoon } from "../../src/domain/pollInterval.ts"
import type { TargetError } from "../../src/domain/posts/post.ts"
import { chainFor } from "../../src/domain/posts/thread.ts"
import { shownFrom } from "../../src/domain/publishing/uploadPolicy.ts"
import { storeFailure, storeUploads } from "../../src/domain/publishing/storedUploads.ts"
import type { PlatformUploads, UploadClaim } from "../../src/repo/platformUploads/PlatformUploads.ts"
import type { Connection } from "./connection.ts"
import { onDatabaseClock } from "./databaseClock.ts"
import { type Ids, shortId } from "./ids.ts"
import { fileOf } from "./library.ts"
import { abandonedPause, isGivenUp, type AbandonedClaim } from "./memoryClaim.ts"
import type { MemoryDatabase, Transaction } from "./memoryDatabase.ts"
import { targetsOf } from "./memoryPosts.ts"
import type { Process } from "./process.ts"
import { bySince, type Candidate, hostSlots, platformSlots, withinSlots } from "./memorySlots.ts"
import type { TargetRow, UploadRow } from "./rows.ts"
import { heldUntil } from "./uploadOrders.ts"
import { minute, type World } from "./world.ts"

/** The PlatformUploads of src/repo/platformUploads for one process. */
export const makeMemoryUploads = (
  world: World,
  database: MemoryDatabase,
  process: Process,
  ids: Ids,
  { statement, transaction }: Connection
): PlatformUploads => {
  const isOpen = (open: Transaction, { targetId }: UploadRow) => {
    const target = open.targets.get(targetId)
    const status = target === undefined ? undefined : open.posts.get(target.postId)?.status
    return (
      target?.status === "pending" && target.dueSince !== null && (status === "scheduled" || status === "publishing")
    )
  }

  /** Failed claims by token, each until its lease ends. */
  const lostClaims = new Map<ClaimToken, number>()

  const abandonedClaims: Array<AbandonedClaim> = []

  const claim: PlatformUploads["claim"] = (limit, lease, { owner, slots }) =>
    Effect.flatMap(DateTime.now, (now) => {
      const token = ids.token()()
      const at = DateTime.toEpochMillis(now)
      for (const [lost, until] of lostClaims) if (until <= at) lostClaims.delete(lost)
      return statement("claiming uploads", (open) =>
        Effect.sync(() => {
          const moment = Math.min(at, world.now())
          const isLost = (row: UploadRow) => row.token !== null && lostClaims.has(row.token)
          const isReady = (row: UploadRow) => {
            const { leaseUntil, nextAt, ownerId, status } = row
            if (status === "waiting") return nextAt !== null && nextAt <= moment
            if (status !== "uploading") return false
            if (isLost(row) || isGivenUp(row.targetId, row.token, abandonedClaims, at)) return true
            const ownerUntil = ownerId === null ? undefined : database.processLeases.get(ownerId)
            const isGone = ownerUntil === undefined || (owner.takesOver && ownerUntil <= world.now())
            return isGone || (leaseUntil !== null && leaseUntil <= moment)
          }
          const accountOf = ({ targetId }: UploadRow) => open.targets.get(targetId)?.integrationId
          const busy = (row: UploadRow) =>
            open.uploads
              .all()
              .filter((other) => other.status === "uploading" && !isReady(other) && accountOf(other) === accountOf(row))
              .length
          const found = open.uploads.all().flatMap((row): ReadonlyArray<Candidate<UploadRow>> => {
            const platform = open.targets.get(row.targetId)?.platform
            const since = row.status === "waiting" ? row.nextAt : row.leaseUntil
            if (platform === undefined || since === null || !isReady(row)) return []
            const hasSlot = hostSlots({ limit, slots }, platform) > 0 && platformSlots({ limit, slots }, platform) > 0
            return hasSlot && busy(row) < slots.perAccount ? [{ row, id: row.targetId, platform, since }] : []
          })
          for (const { row } of found) if (!isOpen(open, row)) open.uploads.remove(row.targetId)
          if ((database.processLeases.get(owner.id) ?? 0) <= world.now()) return []
          const openOnes = found.filter(({ row }) => isOpen(open, row)).toSorted(bySince)
          const ready = openOnes
            .map((one, index) => ({
              ...one,
              turn:
                busy(one.row) +
                1 +
                openOnes.slice(0, index).filter(({ row }) => accountOf(row) === accountOf(one.row)).length
            }))
            .filter(({ turn }) => turn <= slots.perAccount)
          return withinSlots(ready, { limit, slots }).flatMap((row): ReadonlyArray<UploadClaim> => {
            const target = open.targets.get(row.targetId)
            const post = target === undefined ? undefined : open.posts.get(target.postId)
            const integration = target === undefined ? undefined : open.integrations.get(target.integrationId)
            if (target === undefined || post === undefined || integration === undefined) return []
            const chain = chainFor(target.platform, post)
            const parts = chain.map(({ media }, index) => ({
              part: index + 1,
              count: media.length,
              files: media.map(({ id }) => fileOf(id))
            }))
            const leaseUntil = DateTime.addDuration(now, lease)
            const claimed: UploadRow = {
              ...row,
              status: "uploading",
              attempts: row.attempts + (isLost(row) ? 0 : 1),
              nextAt: null,
              token,
              ownerId: owner.id,
              leaseUntil: DateTime.toEpochMillis(leaseUntil)
            }
            open.uploads.put(row.targetId, claimed)
            world.count("upload claimed")
            world.log(process.name, `uploads for target ${shortId(row.targetId)}, attempt ${claimed.attempts}`)
            return [
              {
                targetId: row.targetId,
                token,
                leaseUntil,
                ownerId: owner.id,
                workspaceId: target.workspaceId,
                postId: target.postId,
                platform: target.platform,
                host: target.platform,
                accountId: target.accountId,
                integration: {
                  id: integration.id,
                  accountId: integration.accountId,
                  username: integration.username,
                  serviceUrl: null,
                  connected: integration.status === "connected",
                  version: String(integration.version)
                },
                dueSince: DateTime.makeUnsafe((target.dueSince ?? 0) + DateTime.toEpochMillis(now) - moment),
                attempts: claimed.attempts,
                begun: claimed.uploaded,
                part: target.part,
                isThread: chain.length > 1,
                parts: parts.filter(({ count, part }) => part >= target.part && count > 0)
              }
            ]
          })
        })
      ).pipe(
        Effect.onError(() =>
          Effect.sync(() => void lostClaims.set(token, DateTime.toEpochMillis(DateTime.addDuration(now, lease))))
        )
      )
    })

  const abandon: PlatformUploads["abandon"] = ({ targetId, token }) =>
    Effect.map(DateTime.now, (now) => {
      const from = DateTime.toEpochMillis(now) + abandonedPause
      abandonedClaims.push({ targetId, token, from, until: from + 30 * minute })
      world.count("claim of an upload abandoned")
    })

  const find = (open: Transaction, { targetId, token }: UploadClaim) =>
    Effect.suspend(() => {
      const row = open.uploads.get(targetId)
      return row === undefined || row.token !== token ? Effect.fail(new ClaimLost()) : Effect.succeed(row)
    })

  const shown = (open: Transaction, targetId: TargetId, error: TargetError) => {
    const target = open.targets.get(targetId)
    if (target?.status === "pending" && target.sentAt === null) open.targets.put(targetId, { ...target, error })
  }

  const ended = { token: null, ownerId: null, leaseUntil: null, nextAt: null } as const

  const end = (held: UploadClaim, status: "ready" | "failed", stored: Pick<TargetRow, "partUploads" | "prepared">) =>
    statement("ending an upload", (open) =>
      Effect.gen(function* () {
        yield* database.lock(open, held.postId)
        const row = yield* find(open, held)
        open.uploads.put(row.targetId, { ...row, ...ended, status, uploaded: null, hasError: status === "failed" })
        const target = open.targets.get(row.targetId)
        world.log(process.name, `the upload for target ${shortId(row.targetId)} is ${status}`)
        if (target?.status !== "pending" || target.dueSince === null || target.sentAt !== null) return
        if (target.part !== held.part) return
        const error = row.hasError ? null : target.error
        open.targets.put(target.id, { ...target, ...stored, dueAt: target.dueSince, error })
        open.notifies ||= isDueSoon(DateTime.makeUnsafe(target.dueSince), yield* DateTime.now)
      })
    )

  const wait = (
    held: UploadClaim,
    at: DateTime.Utc,
    { givesBack, ...change }: { readonly givesBack: number } & Partial<Pick<UploadRow, "uploaded" | "hasError">>,
    error: TargetError | null = null
  ) =>
    Effect.flatMap(DateTime.now, (now) =>
      statement("postponing an upload", (open) =>
        Effect.gen(function* () {
          if (error !== null) yield* database.lock(open, held.postId)
          const row = yield* find(open, held)
          open.uploads.put(row.targetId, {
            ...row,
            ...ended,
            ...change,
            status: "waiting",
            attempts: row.attempts - givesBack,
            nextAt: onDatabaseClock(DateTime.toEpochMillis(at), DateTime.toEpochMillis(now), world.now())
          })
          if (error !== null) shown(open, row.targetId, error)
        })
      )
    )

  const settle: PlatformUploads["settle"] = (held, settlement) => {
    switch (settlement._tag) {
      case "Uploaded":
        return end(held, "ready", {
          prepared: settlement.uploads === null ? null : storeUploads(settlement.uploads),
          partUploads: settlement.later
        })
      case "Failed":
        return end(held, "failed", { prepared: storeFailure(settlement.error), partUploads: null })
      case "Processing":
        return wait(held, settlement.at, { givesBack: 1, uploaded: settlement.begun })
      case "Retry": {
        const { at, beginsAnew, error, isShown } = settlement
        const change = { givesBack: 0, hasError: true, ...(beginsAnew ? { uploaded: null } : {}) }
        return wait(held, at, change, isShown ? error : null)
      }
    }
  }

  /**
   * Orders an upload for a target that is claimed without one, as src/repo/platformUploads/makePlatformUploads.ts does.
   */
  const insertOrder = (open: Transaction, targetId: TargetId, now: DateTime.Utc, reason: string | null) => {
    const target = open.targets.get(targetId)
    if (target?.status !== "pending" || target.dueSince === null) return
    const row = open.uploads.get(targetId)
    const isRepeated = reason !== null && (row?.attempts ?? 0) >= shownFrom
    const error: TargetError | null = isRepeated
      ? { code: "unavailable", message: reason, retryable: true }
      : target.error
    open.targets.put(targetId, {
      ...target,
      prepared: null,
      processingSince: null,
      partUploads: null,
      dueAt: heldUntil(target.dueSince),
      error
    })
    if (row?.status === "uploading" || (row?.status === "waiting" && row.attempts > 0)) return
    const attempts = row?.attempts ?? 0
    const nextAt = Math.min(DateTime.toEpochMillis(now), world.now()) + Math.min(Math.max(attempts - 1, 0), 15) * minute
    open.uploads.put(targetId, {
      targetId,
      ...ended,
      status: "waiting",
      attempts,
      nextAt,
      uploaded: null,
      hasError: false
    })
  }

  const order: PlatformUploads["order"] = (held, reason) =>
    transaction(
      "holding a target",
      statement("releasing a target for its upload", (open) =>
        Effect.gen(function* () {
          yield* database.lock(open, held.postId)
          const row = open.targets.get(held.targetId)
          if (row === undefined || row.token !== held.token) return yield* new ClaimLost()
          open.targets.put(row.id, {
            ...row,
            status: "pending",
            token: null,
            leaseUntil: null,
            attempts: row.attempts - 1,
            reconcileAttempts: Math.max(row.reconcileAttempts - 1, 0),
            sentAt: held.sentAt === null ? null : DateTime.toEpochMillis(held.sentAt),
            resendOrdered: held.resendOrdered
          })
          const post = open.posts.get(row.postId)
          const isUntouched = targetsOf(open, row.postId).every(
            ({ part, sentAt, status }) => status === "pending" && sentAt === null && part === 1
          )
          if (post?.status === "publishing" && isUntouched) open.posts.put(post.id, { ...post, status: "scheduled" })
          insertOrder(open, row.id, yield* DateTime.now, reason)
          open.notifies = true
          world.count("target held for its upload")
        })
      )
    )

  return {
    claim,
    isHeld: (held) =>
      statement("checking an upload", (open) =>
        Effect.sync(() => open.uploads.get(held.targetId)?.token === held.token)
      ),
    settle,
    release: (held) => Effect.flatMap(DateTime.now, (now) => wait(held, now, { givesBack: 1 })),
    abandon,
    order
  }
}
