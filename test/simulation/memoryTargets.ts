import { DateTime, Deferred, Effect, Option, Queue } from "effect"
import { ClaimLost, DatabaseUnavailable } from "../../src/domain/errors.ts"
import { rollUp } from "../../src/domain/rollUp.ts"
import { mayBeOut, type Settlement } from "../../src/domain/settlement.ts"
import type { Claim, SettledPost, Targets } from "../../src/repo/targets/targets.ts"
import type { Connection } from "./connection.ts"
import { type Ids, short } from "./ids.ts"
import type { Machine } from "./machine.ts"
import { claimIn } from "./memoryClaim.ts"
import type { MemoryDatabase, Transaction } from "./memoryDatabase.ts"
import type { TargetRow } from "./rows.ts"
import type { World } from "./world.ts"

const now = Effect.map(DateTime.now, DateTime.toEpochMillis)

/** What a claim found. */
const before = ({ resendOrdered, sentAt }: Claim) => ({
  resendOrdered,
  sentAt: sentAt === null ? null : DateTime.toEpochMillis(sentAt)
})

/** What src/repo/targets/settle.ts writes. */
const settled = (row: TargetRow, claim: Claim, settlement: Settlement, at: number): TargetRow => {
  const ended = {
    ...row,
    ...(mayBeOut(settlement) ? {} : before(claim)),
    token: null,
    leaseUntil: null,
    dueAt: null,
    dueSince: null,
    publishedAt: null,
    url: null
  }
  switch (settlement._tag) {
    case "Published":
      return { ...ended, status: "published", publishedAt: at, url: settlement.publication.url, error: null }
    case "Retry":
      return {
        ...ended,
        status: "pending",
        dueAt: Math.floor(DateTime.toEpochMillis(settlement.at)),
        dueSince: row.dueSince,
        error: settlement.error
      }
    case "Failed":
      return { ...ended, status: "failed", error: settlement.error }
  }
}

const describe = (settlement: Settlement): string => {
  switch (settlement._tag) {
    case "Published":
      return "published"
    case "Retry":
      return `again later: ${settlement.error.code}`
    case "Failed":
      return `failed: ${settlement.error.code}`
  }
}

/** The targets as src/repo/targets keeps them, as one process reaches them. */
export const makeMemoryTargets = (
  world: World,
  database: MemoryDatabase,
  machine: Machine,
  ids: Ids,
  { statement, transaction }: Connection
): Targets => {
  const held = (open: Transaction, claim: { readonly targetId: TargetRow["id"]; readonly token: TargetRow["token"] }) =>
    Effect.suspend(() => {
      const row = open.targets.get(claim.targetId)
      return row === undefined || row.token !== claim.token ? Effect.fail(new ClaimLost()) : Effect.succeed(row)
    })

  const claim: Targets["claim"] = (limit, lease) =>
    Effect.flatMap(DateTime.now, (at) =>
      Effect.map(
        statement("claiming", (open) => {
          const taken = claimIn(database, open, { limit, lease, now: at, clock: world.now(), makeToken: ids.token() })
          for (const { attempts, reconcileAttempts: looks, targetId, token } of taken) {
            machine.tokens.set(targetId, new Set([...(machine.tokens.get(targetId) ?? []), token]))
            world.note(machine.name, `claims target ${short(targetId)}, attempt ${attempts}, look ${looks}`)
          }
          return Effect.succeed(taken)
        }),
        (claims) => {
          world.count("tick")
          return claims
        }
      )
    )

  const beginSend: Targets["beginSend"] = (claim, prepared, lease) =>
    Effect.gen(function* () {
      const at = yield* now
      const leaseUntil = DateTime.toEpochMillis(DateTime.addDuration(DateTime.makeUnsafe(at), lease))
      yield* statement("beginning to send", (open) =>
        Effect.map(held(open, claim), (row) => {
          open.targets.put(row.id, {
            ...row,
            prepared,
            sentAt: Math.min(at, world.now()),
            resendOrdered: false,
            leaseUntil
          })
          world.note(machine.name, `begins to send target ${short(row.id)}`)
        })
      )
    })

  const release: Targets["release"] = (claim) =>
    statement("giving a claim back", (open) =>
      Effect.map(held(open, claim), (row) => {
        open.targets.put(row.id, {
          ...row,
          status: "pending",
          token: null,
          leaseUntil: null,
          attempts: row.attempts - 1,
          looks: Math.max(row.looks - 1, 0),
          ...before(claim)
        })
        world.note(machine.name, `gives target ${short(row.id)} back`)
      })
    )

  const settle: Targets["settle"] = (claim, settlement) =>
    transaction(
      "settling",
      Effect.gen(function* () {
        const at = yield* now
        yield* statement("settling a target", (open) =>
          Effect.gen(function* () {
            yield* database.lock(open, claim.postId)
            const row = yield* held(open, claim)
            open.targets.put(row.id, settled(row, claim, settlement, at))
            world.note(machine.name, `settles target ${short(row.id)}: ${describe(settlement)}`)
          })
        )
        return yield* statement("rolling a post up", (open) =>
          Effect.gen(function* () {
            const post = open.posts.get(claim.postId)
            if (post === undefined) return yield* Effect.die("A settled target has no post")
            const targets = open.targets
              .all()
              .filter((row) => row.postId === post.id)
              .toSorted((left, right) => left.position - right.position)
            const status = rollUp(targets.map((row) => row.status))
            open.posts.put(post.id, { ...post, status, publishedAt: status === "published" ? at : null })
            const result: SettledPost = {
              workspaceId: post.workspaceId,
              postId: post.id,
              status,
              content: post.content,
              targets: targets.map(({ error, platform }) => ({ platform, error }))
            }
            return result
          })
        )
      })
    )

  const nextDue: Targets["nextDue"] = Effect.flatMap(now, (at) =>
    statement("looking ahead", () => {
      const moment = Math.min(at, world.now())
      let next = Number.POSITIVE_INFINITY
      for (const { dueAt, leaseUntil, status } of database.committed.openTargets.values()) {
        const time = status === "pending" ? dueAt : status === "publishing" ? leaseUntil : null
        if (time !== null && time > moment) next = Math.min(next, time + at - moment)
      }
      return Effect.succeed(next === Number.POSITIVE_INFINITY ? Option.none() : Option.some(DateTime.makeUnsafe(next)))
    })
  )

  const listen: Targets["listen"] = (onWake) =>
    Effect.gen(function* () {
      const calls = yield* Queue.unbounded<void>()
      const dropped = yield* Deferred.make<never, DatabaseUnavailable>()
      yield* statement("listening", () => Effect.void)
      const stop = yield* Effect.acquireRelease(
        Effect.sync(() =>
          database.listen({
            call: () => {
              if (!machine.cutOff()) Queue.offerUnsafe(calls, undefined)
            },
            drop: () =>
              Deferred.doneUnsafe(dropped, Effect.fail(new DatabaseUnavailable({ operation: "listening", cause: "" })))
          })
        ),
        (stop) => Effect.sync(stop)
      )
      machine.whenKilled(stop)
      yield* onWake
      const next = Queue.take(calls).pipe(Effect.andThen(machine.running), Effect.andThen(onWake))
      return yield* Effect.raceFirst(Effect.forever(next), Deferred.await(dropped))
    }).pipe(Effect.scoped)

  // Nothing scrapes a simulation.
  const backlog = Effect.die("Unexpected repo.targets.backlog")

  return { claim, beginSend, release, settle, nextDue, backlog, listen }
}
