import { DateTime, Duration, Effect } from "effect"
import type { UploadClaim } from "../../../src/repo/platformUploads/PlatformUploads.ts"
import type { UploadSettlement } from "../../../src/domain/publishing/uploadPolicy.ts"
import { type Draw, drawPlace, none, operation, recent } from "./operation.ts"
import type { Replica } from "./stores.ts"
import { drawOwner, drawSlots, ownerOf, sorted, visibleClaim } from "./claims.ts"

const lease = Duration.minutes(21)

export const claimUploads: Draw = (prng) => {
  const limit = prng.chance(0.7) ? 10 : prng.between(1, 3)
  const slots = { ...drawSlots(prng), perAccount: prng.pick([1, 2, 4]) }
  const drawn = drawOwner(prng)
  return operation(`claim uploads ${JSON.stringify({ limit, slots, ...drawn })}`, (store, { repo }, by) =>
    Effect.gen(function* () {
      const owner = yield* ownerOf(store, by, drawn)
      const found = sorted(store, yield* repo.platformUploads.claim(limit, lease, { owner, slots }))
      store.uploads.push(...found)
      return found.map(visibleClaim)
    })
  )
}

const onUpload =
  (
    name: string,
    act: (replica: Replica, claim: UploadClaim) => Effect.Effect<unknown, { readonly _tag: string }>
  ): Draw =>
  (prng) => {
    const place = drawPlace(prng)
    return operation(`${name} (upload ${place})`, ({ uploads }, replica) => {
      const claim = recent(uploads, place)
      return claim === undefined ? none : act(replica, claim)
    })
  }

export const settleUpload: Draw = (prng) => {
  const delay = Duration.millis(prng.between(1000, 200_000))
  const code = prng.pick(["unavailable", "rate_limited"] as const)
  const number = prng.between(1, 1000)
  const error = { code, message: `No: ${code}`, retryable: true }
  const tag = prng.pick<UploadSettlement["_tag"]>(["Uploaded", "Uploaded", "Processing", "Retry", "Failed"])
  const isShown = prng.chance(0.5)
  const beginsAnew = prng.chance(0.3)
  return onUpload(`settle the upload as ${tag} ${code} ${Duration.toMillis(delay)}`, ({ repo }, claim) =>
    Effect.flatMap(DateTime.now, (now) => {
      const settlements: Record<UploadSettlement["_tag"], UploadSettlement> = {
        Uploaded: { _tag: "Uploaded", uploads: [`file ${number}`], later: null },
        Processing: { _tag: "Processing", begun: { file: number }, at: DateTime.addDuration(now, delay) },
        Retry: { _tag: "Retry", at: DateTime.addDuration(now, delay), error, isShown, beginsAnew },
        Failed: { _tag: "Failed", error: { ...error, code: "rejected" } }
      }
      return repo.platformUploads.settle(claim, settlements[tag])
    })
  )(prng)
}

export const releaseUpload = onUpload("release the upload", ({ repo }, claim) => repo.platformUploads.release(claim))

export const abandonUpload = onUpload("abandon the upload", ({ repo }, claim) => repo.platformUploads.abandon(claim))

export const isHeld = onUpload("isHeld", ({ repo }, claim) => repo.platformUploads.isHeld(claim))

export const orderUpload: Draw = (prng) => {
  const place = drawPlace(prng)
  const reason = prng.chance(0.5) ? "The files are gone" : null
  return operation(
    `order the upload (${reason ?? "first"}, claim ${place} of a post with media that was not sent before)`,
    ({ claims }, { repo }) => {
      const claim = recent(
        claims.filter(({ media, sentAt }) => media.length > 0 && sentAt === null),
        place
      )
      return claim === undefined ? none : repo.platformUploads.order(claim, reason)
    }
  )
}
