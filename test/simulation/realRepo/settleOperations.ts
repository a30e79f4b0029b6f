import { Array as Arr, DateTime, Duration, Effect } from "effect"
import type { TargetError } from "../../../src/domain/posts/post.ts"
import { isRecognized, type Settlement, type TargetSettlement } from "../../../src/domain/publishing/settlement.ts"
import { settlePart } from "../../../src/domain/publishing/threadCursor.ts"
import type { Claim, SettledPost } from "../../../src/repo/targets/Targets.ts"
import type { Prng } from "../prng.ts"
import { onClaim, sorted } from "./claims.ts"
import { type Draw, none, operation } from "./operation.ts"

type At = (claim: Claim, now: DateTime.Utc) => Settlement

/** On X the next part of a thread has to wait. */
const ofPart = (settlement: Settlement, claim: Claim, now: DateTime.Utc): TargetSettlement =>
  settlePart(settlement, claim, claim.platform === "twitter" ? DateTime.add(now, { seconds: 2 }) : null)

type Drawn = readonly [string, At]

const errorOf = (code: TargetError["code"]): TargetError => ({
  code,
  message: `No: ${code}`,
  retryable: code !== "rejected"
})

/** An id with a later time than the posts here have, as X's ids are. */
const lateId = (number: number): string => String((1n << 62n) + BigInt(number))

const drawSettlement = (prng: Prng): Drawn => {
  const code = prng.pick<TargetError["code"]>(["unavailable", "rate_limited", "outcome_unknown"])
  const last = prng.pick<TargetError["code"]>(["rejected", "outcome_unknown", "gave_up", "needs_reconnect", "missed"])
  const delay = Duration.millis(prng.between(1000, 200_000))
  const number = prng.between(1, 100_000)
  const resend = prng.chance(0.2) ? { resend: true as const } : {}
  const uncounted = prng.chance(0.1) ? { isUncounted: true as const } : {}
  const isRecognized = prng.chance(0.3)
  // There are only a few ids, so that another target may have the same id.
  const platformPostId = isRecognized
    ? lateId(prng.between(1, 4))
    : prng.pick([lateId(prng.between(1, 4)), `${number}`])
  const retry: At = (_, now) => ({
    _tag: "Retry",
    at: DateTime.addDuration(now, delay),
    error: errorOf(code),
    ...resend,
    ...uncounted
  })
  const fail: At = () => ({ _tag: "Failed", error: errorOf(last), ...resend })
  const published: At = ({ platform }) => ({
    _tag: "Published",
    publication: {
      platformPostId,
      url: `https://${platform}.test/${platformPostId}`,
      ...(isRecognized && platform === "twitter" ? { recognized: true } : {})
    }
  })
  const making: At = (_, now) => ({
    _tag: "Making",
    at: DateTime.addDuration(now, delay),
    begun: { _tag: "Begun", uploads: null, begun: number }
  })
  const taken: At = (_, now) => ({ _tag: "Taken", at: DateTime.addDuration(now, delay) })
  const dropped: At = () => ({ _tag: "Failed", error: errorOf("rejected"), isAbsent: true })
  return prng.pick<Drawn>([
    [`Making ${number}, asked in ${Duration.toMillis(delay)} ms`, making],
    [`Taken, asked in ${Duration.toMillis(delay)} ms`, taken],
    ["Dropped", dropped],
    [`Published ${platformPostId}${isRecognized ? " recognized" : ""}`, published],
    [`Retry ${code} in ${Duration.toMillis(delay)} ms ${JSON.stringify({ ...resend, ...uncounted })}`, retry],
    [`Retry ${code} in ${Duration.toMillis(delay)} ms ${JSON.stringify({ ...resend, ...uncounted })}`, retry],
    [`Failed ${last} ${JSON.stringify(resend)}`, fail]
  ])
}

/** PostgreSQL's rows have more members than a settled post declares. */
const visiblePost = ({ targets, ...post }: SettledPost) => ({
  ...post,
  targets: targets.map(({ error, platform, status, url }) => ({ error, platform, status, url }))
})

const settleAs =
  (draw: (prng: Prng) => Drawn): Draw =>
  (prng) => {
    const [what, settlement] = draw(prng)
    return onClaim(`settle as ${what}`, ({ repo }, claim) =>
      Effect.flatMap(DateTime.now, (now) =>
        Effect.map(repo.targets.settle(claim, ofPart(settlement(claim, now), claim, now)), visiblePost)
      )
    )(prng)
  }

const failAs = (code: TargetError["code"]) =>
  settleAs(() => [`Failed ${code}`, () => ({ _tag: "Failed", error: errorOf(code) })])

export const settle = settleAs(drawSettlement)

export const reject = failAs("rejected")

/** A thread continues after this settlement. */
export const publishPart = settleAs((prng) => {
  const platformPostId = `${prng.between(1000, 100_000)}`
  return [
    `Published ${platformPostId}`,
    ({ platform }) => ({
      _tag: "Published",
      publication: {
        platformPostId,
        url: `https://${platform}.test/${platformPostId}`,
        cid: `cid of ${platformPostId}`
      }
    })
  ]
})

/** A person's finding about an unknown outcome. */
export const resolve: Draw = (prng) => {
  // There are only a few ids, so that another target may have the same id.
  const number = prng.pick([prng.between(1, 4), prng.between(1, 100_000)])
  const key = prng.chance(0.2) ? String(number) : lateId(number)
  const post = prng.chance(0.85) ? { url: `https://platform.test/${key}`, key, site: "https://platform.test" } : null
  const continues = prng.chance(0.5)
  return onClaim(`resolve as published as ${post?.key}, continues: ${continues}`, ({ repo }, claim) =>
    Effect.map(repo.targets.resolve(claim, { outcome: "published", post, continues }), ({ posts, resolved }) => ({
      posts: posts.map(visiblePost),
      settlement: resolved.settlement
    }))
  )(prng)
}

/** An unknown outcome is left to a person. */
export const leaveUnknown = failAs("outcome_unknown")

export const settleInFailingTransaction: Draw = (prng) => {
  const [what, settlement] = drawSettlement(prng)
  return onClaim(`settle as ${what} in a transaction that fails`, ({ repo }, claim) =>
    Effect.flatMap(DateTime.now, (now) =>
      repo.transaction(
        Effect.andThen(
          repo.targets.settle(claim, ofPart(settlement(claim, now), claim, now)),
          Effect.fail({ _tag: "Undone" })
        )
      )
    )
  )(prng)
}

export const settleBatch: Draw = (prng) => {
  const drawn = [0, 1, 2].map((place) => [place, ...drawSettlement(prng)] as const)
  return operation(`settle the last claims as ${drawn.map(([, what]) => what).join(", ")}`, (store, { repo }) =>
    Effect.gen(function* () {
      const now = yield* DateTime.now
      const batch = drawn.flatMap(([place, , settlement]) => {
        const claim = store.claims.at(-1 - place)
        return claim === undefined ? [] : [{ claim, settlement: ofPart(settlement(claim, now), claim, now) }]
      })
      const unrecognized = batch.filter(({ settlement }) => !isRecognized(settlement))
      const ofDistinctTargets = Arr.dedupeWith(
        unrecognized,
        (left, right) => left.claim.targetId === right.claim.targetId
      )
      if (!Arr.isReadonlyArrayNonEmpty(ofDistinctTargets)) return yield* none
      const { lost, posts } = yield* repo.targets.settleAll(ofDistinctTargets, () => Effect.void)
      return {
        lost: sorted(store, lost).map(({ targetId }) => targetId),
        posts: posts
          .toSorted((left, right) =>
            store.ordinals.nameOf(left.postId) < store.ordinals.nameOf(right.postId) ? -1 : 1
          )
          .map(visiblePost)
      }
    })
  )
}
