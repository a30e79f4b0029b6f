import { Array as Arr, Cause, DateTime, Duration, Effect, Exit, Option, Redacted } from "effect"
import type { Send } from "../../../src/repo/targets/Targets.ts"
import { drawOwner, drawSlots, onClaim, ownerOf, sorted, visibleClaim } from "./claims.ts"
import { type Draw, operation } from "./operation.ts"

const lease = Duration.minutes(3)

export const claimDue: Draw = (prng) => {
  const limit = prng.chance(0.7) ? 10 : prng.between(1, 3)
  const slots = prng.chance(0.8) ? drawSlots(prng) : undefined
  const drawn = drawOwner(prng)
  const within = prng.pick([0, 100, 60_000])
  return operation(`claim ${JSON.stringify({ limit, slots, within, ...drawn })}`, (store, { repo }, by) =>
    Effect.gen(function* () {
      const owner = yield* ownerOf(store, by, drawn)
      const claims = yield* repo.targets.claim(limit, lease, {
        owner,
        within: Duration.millis(within),
        ...(slots === undefined ? {} : { slots })
      })
      const found = sorted(store, claims)
      store.claims.push(...found)
      return found.map(visibleClaim)
    })
  )
}

export const beginSend = onClaim("beginSend", ({ repo }, claim) =>
  Effect.gen(function* () {
    const sealed = yield* repo.targets.beginSend(claim, { text: claim.text }, lease)
    if (sealed === undefined) return "no credentials"
    return Redacted.value(yield* repo.integrations.openCredentials(claim.integration.id, sealed))
  })
)

/** Begins to send the last claims by one statement. Some may be lost or already sent. */
export const beginSends: Draw = () =>
  operation("beginSends of the last claims", (store, { repo }) =>
    Effect.gen(function* () {
      const last = Arr.dedupeWith(store.claims.slice(-3), (left, right) => left.targetId === right.targetId)
      if (!Arr.isReadonlyArrayNonEmpty(last)) return []
      const sends = Arr.map(last, (claim): Send => ({ claim, prepared: { text: claim.text } }))
      const stored = yield* repo.targets.beginSends(sends, lease)
      return stored.map((exit) =>
        Exit.match(exit, {
          onFailure: (cause) => `fails: ${Option.getOrUndefined(Cause.findErrorOption(cause))?._tag}`,
          onSuccess: (sealed) => (sealed === undefined ? "no credentials" : "stored")
        })
      )
    })
  )

export const release = onClaim("release", ({ repo }, claim) => repo.targets.release(claim))

export const withdraw = onClaim("withdraw", ({ repo }, claim) => repo.targets.withdraw(claim))

export const abandon = onClaim("abandon", ({ repo }, claim) => repo.targets.abandon(claim))

export const nextDue: Draw = (prng) => {
  const ago = prng.pick([0, prng.between(0, 60_000)])
  const within = prng.pick([0, prng.between(0, 60_000)])
  const ahead = { within: Duration.millis(within), lead: Duration.millis(prng.between(0, within)) }
  return operation(`nextDue since ${ago} ms, ${JSON.stringify(ahead)}`, (_, { repo }) =>
    Effect.flatMap(DateTime.now, (now) =>
      repo.targets.nextDue(DateTime.subtractDuration(now, Duration.millis(ago)), ahead)
    )
  )
}

export const publishedByOthers = onClaim("publishedByOthers", ({ repo }, claim) =>
  Effect.map(repo.targets.publishedByOthers(claim, ["1", "2", "3", "4"]), (found) => [...found].toSorted())
)

export const unresolvedOthers = onClaim("unresolvedOthers of ten minutes", ({ repo }, claim) =>
  Effect.flatMap(DateTime.now, (now) =>
    repo.targets.unresolvedOthers(claim, DateTime.subtractDuration(now, Duration.minutes(10)))
  )
)

export const publishedWithText = onClaim("publishedWithText", ({ repo }, claim) =>
  Effect.map(
    repo.targets.publishedWithText(claim),
    Option.map(({ postId, publishedAt }) => ({ postId, publishedAt }))
  )
)
