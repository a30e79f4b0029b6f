import { Array as Arr, DateTime, Duration, Effect, Option, Redacted } from "effect"
import type { TargetError } from "../../../src/domain/posts/post.ts"
import type { Settlement } from "../../../src/domain/publishing/settlement.ts"
import type { Claim, ClaimOwner, ClaimSlots, SettledPost } from "../../../src/repo/targets/Targets.ts"
import type { Prng } from "../prng.ts"
import { type Draw, drawPlace, none, operation, recent } from "./operation.ts"
import { type Replica, renewLease, type Store } from "./stores.ts"

const lease = Duration.minutes(3)

/** Slots for a few targets, or for more than there are accounts. */
export const drawSlots = (prng: Prng): ClaimSlots => {
  const draw = () => (prng.chance(0.6) ? 10 : prng.between(0, 2))
  return {
    platforms: { twitter: draw(), bluesky: draw() },
    perHost: draw(),
    hosts: prng.chance(0.3) ? { twitter: draw() } : {}
  }
}

export const drawOwner = (prng: Prng) => ({ renews: prng.chance(0.85), takesOver: prng.chance(0.6) })

/** The process that claims: mostly with a lease that it has just renewed, otherwise with one that may have ended. */
export const ownerOf = Effect.fnUntraced(function* (
  store: Store,
  by: 0 | 1,
  { renews, takesOver }: ReturnType<typeof drawOwner>
) {
  const known = store.leases[by]
  const id = renews || known === null ? yield* renewLease(store, by) : known
  return { id, takesOver } satisfies ClaimOwner
})

/** A claim, of whose version each store has a representation of its own. */
export const visibleClaim = <C extends Pick<Claim, "integration">>({ integration, ...claim }: C) => {
  const { version: _, ...account } = integration
  return { ...claim, integration: account }
}

/** Sorted, because those that are due at the same time have no order. */
export const sorted = <C extends { readonly targetId: string }>({ ordinals }: Store, claims: ReadonlyArray<C>) =>
  claims.toSorted((left, right) => (ordinals.nameOf(left.targetId) < ordinals.nameOf(right.targetId) ? -1 : 1))

const claimDue: Draw = (prng) => {
  const limit = prng.chance(0.7) ? 10 : prng.between(1, 3)
  const slots = prng.chance(0.8) ? drawSlots(prng) : undefined
  const drawn = drawOwner(prng)
  return operation(`claim ${JSON.stringify({ limit, slots, ...drawn })}`, (store, { repo }, by) =>
    Effect.gen(function* () {
      const owner = yield* ownerOf(store, by, drawn)
      const claims = yield* repo.targets.claim(limit, lease, { owner, ...(slots === undefined ? {} : { slots }) })
      const found = sorted(store, claims)
      store.claims.push(...found)
      return found.map(visibleClaim)
    })
  )
}

/** An operation on a claim of an earlier one, which may be lost since. */
export const onClaim =
  (
    name: string,
    act: (replica: Replica, claim: Claim, store: Store) => Effect.Effect<unknown, { readonly _tag: string }>
  ): Draw =>
  (prng) => {
    const place = drawPlace(prng)
    return operation(`${name} (claim ${place})`, (store, replica) => {
      const claim = recent(store.claims, place)
      return claim === undefined ? none : act(replica, claim, store)
    })
  }

const beginSend = onClaim("beginSend", ({ repo }, claim) =>
  Effect.gen(function* () {
    const sealed = yield* repo.targets.beginSend(claim, { text: claim.text }, lease)
    if (sealed === undefined) return "no credentials"
    return Redacted.value(yield* repo.integrations.openCredentials(claim.integration.id, sealed))
  })
)

type At = (claim: Claim, now: DateTime.Utc) => Settlement

const drawSettlement = (prng: Prng): readonly [string, At] => {
  const error = (code: TargetError["code"]) => ({ code, message: `No: ${code}`, retryable: code !== "rejected" })
  const code = prng.pick<TargetError["code"]>(["unavailable", "rate_limited", "outcome_unknown"])
  const last = prng.pick<TargetError["code"]>(["rejected", "outcome_unknown", "gave_up", "needs_reconnect", "missed"])
  const delay = Duration.millis(prng.between(1000, 200_000))
  const number = prng.between(1, 100_000)
  const resend = prng.chance(0.2) ? { resend: true as const } : {}
  const isRecognized = prng.chance(0.3)
  // Few, so that another target may have one.
  const platformPostId = isRecognized
    ? String(prng.between(1, 4))
    : prng.pick([String(prng.between(1, 4)), `${number}`])
  const retry: At = (_, now) => ({ _tag: "Retry", at: DateTime.addDuration(now, delay), error: error(code), ...resend })
  const fail: At = () => ({ _tag: "Failed", error: error(last), ...resend })
  const published: At = ({ platform }) => ({
    _tag: "Published",
    publication: {
      platformPostId,
      url: `https://${platform}.test/${platformPostId}`,
      ...(isRecognized && platform === "twitter" ? { recognized: true } : {})
    }
  })
  return prng.pick<readonly [string, At]>([
    [`Published ${platformPostId}${isRecognized ? " recognized" : ""}`, published],
    [`Retry ${code} in ${Duration.toMillis(delay)} ms ${JSON.stringify(resend)}`, retry],
    [`Retry ${code} in ${Duration.toMillis(delay)} ms ${JSON.stringify(resend)}`, retry],
    [`Failed ${last} ${JSON.stringify(resend)}`, fail]
  ])
}

/** PostgreSQL's rows have more members than a settled post declares. */
const visiblePost = ({ targets, ...post }: SettledPost) => ({
  ...post,
  targets: targets.map(({ error, platform, status, url }) => ({ error, platform, status, url }))
})

const settleOne: Draw = (prng) => {
  const [what, settlement] = drawSettlement(prng)
  return onClaim(`settle as ${what}`, ({ repo }, claim) =>
    Effect.flatMap(DateTime.now, (now) => Effect.map(repo.targets.settle(claim, settlement(claim, now)), visiblePost))
  )(prng)
}

const settleInFailingTransaction: Draw = (prng) => {
  const [what, settlement] = drawSettlement(prng)
  return onClaim(`settle as ${what} in a transaction that fails`, ({ repo }, claim) =>
    Effect.flatMap(DateTime.now, (now) =>
      repo.transaction(
        Effect.andThen(repo.targets.settle(claim, settlement(claim, now)), Effect.fail({ _tag: "Undone" }))
      )
    )
  )(prng)
}

const settleBatch: Draw = (prng) => {
  const drawn = [0, 1, 2].map((place) => [place, ...drawSettlement(prng)] as const)
  return operation(`settle the last claims as ${drawn.map(([, what]) => what).join(", ")}`, (store, { repo }) =>
    Effect.gen(function* () {
      const now = yield* DateTime.now
      const batch = drawn.flatMap(([place, , settlement]) => {
        const claim = store.claims.at(-1 - place)
        return claim === undefined ? [] : [{ claim, settlement: settlement(claim, now) }]
      })
      const ofDistinctTargets = Arr.dedupeWith(batch, (left, right) => left.claim.targetId === right.claim.targetId)
      if (!Arr.isReadonlyArrayNonEmpty(ofDistinctTargets)) return yield* none
      const { lost, posts } = yield* repo.targets.settleAll(ofDistinctTargets)
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

const release = onClaim("release", ({ repo }, claim) => repo.targets.release(claim))

const nextDue: Draw = (prng) => {
  const ago = prng.pick([0, prng.between(0, 60_000)])
  return operation(`nextDue since ${ago} ms`, (_, { repo }) =>
    Effect.flatMap(DateTime.now, (now) => repo.targets.nextDue(DateTime.subtractDuration(now, Duration.millis(ago))))
  )
}

const publishedByOthers = onClaim("publishedByOthers", ({ repo }, claim) =>
  Effect.map(repo.targets.publishedByOthers(claim, ["1", "2", "3", "4"]), (found) => [...found].toSorted())
)

const unresolvedOthers = onClaim("unresolvedOthers of ten minutes", ({ repo }, claim) =>
  Effect.flatMap(DateTime.now, (now) =>
    repo.targets.unresolvedOthers(claim, DateTime.subtractDuration(now, Duration.minutes(10)))
  )
)

const publishedWithText = onClaim("publishedWithText", ({ repo }, claim) =>
  Effect.map(
    repo.targets.publishedWithText(claim),
    Option.map(({ postId, publishedAt }) => ({ postId, publishedAt }))
  )
)

/** What the publisher does with targets. */
export const targetOperations: ReadonlyArray<readonly [number, Draw]> = [
  [16, claimDue],
  [12, beginSend],
  [12, settleOne],
  [2, settleInFailingTransaction],
  [4, settleBatch],
  [4, release],
  [2, nextDue],
  [2, publishedByOthers],
  [2, unresolvedOthers],
  [2, publishedWithText]
]
