import { Effect, Struct } from "effect"
import type { Claim, ClaimOwner, ClaimSlots } from "../../../src/repo/targets/Targets.ts"
import type { Prng } from "../prng.ts"
import { type Draw, drawPlace, none, operation, recent } from "./operation.ts"
import { type Replica, renewLease, type Store } from "./stores.ts"

/** The limit of a claim: a few targets, or more than there are accounts. */
export const drawSlots = (prng: Prng): ClaimSlots => {
  const draw = () => (prng.chance(0.6) ? 10 : prng.between(0, 2))
  return {
    platforms: { twitter: draw(), bluesky: draw() },
    perHost: draw(),
    hosts: prng.chance(0.3) ? { twitter: draw() } : {}
  }
}

export const drawOwner = (prng: Prng) => ({ renews: prng.chance(0.85), takesOver: prng.chance(0.6) })

/** The claiming process. Usually it has just renewed its lease; otherwise its lease may have ended. */
export const ownerOf = Effect.fnUntraced(function* (
  store: Store,
  by: 0 | 1,
  { renews, takesOver }: ReturnType<typeof drawOwner>
) {
  const known = store.leases[by]
  const id = renews || known === null ? yield* renewLease(store, by) : known
  return { id, takesOver } satisfies ClaimOwner
})

/** Omits the version, which each store represents differently. */
export const visibleClaim = <C extends Pick<Claim, "integration">>({ integration, ...claim }: C) => ({
  ...claim,
  integration: Struct.omit(integration, ["version"])
})

/** Targets that are due at the same time have no order. */
export const sorted = <C extends { readonly targetId: string }>({ ordinals }: Store, claims: ReadonlyArray<C>) =>
  claims.toSorted((left, right) => (ordinals.nameOf(left.targetId) < ordinals.nameOf(right.targetId) ? -1 : 1))

/** An operation on the claim of an earlier operation. That claim may be lost. */
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
