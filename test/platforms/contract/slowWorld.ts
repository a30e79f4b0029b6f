import { assert } from "@effect/vitest"
import { Effect, type Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Accepted } from "../../../src/domain/publishing/platformError.ts"
import type { Account, Prepared, PublishRequest } from "../../../src/platforms/PlatformClient.ts"
import { image } from "../../support/mediaChecks.ts"
import { targetId } from "../world.ts"
import type { Conformance } from "./conformance.ts"
import { standInWorld } from "./standInWorld.ts"

const picture = { ...image, hash: "a", alt: "" }

/** The failure of a post that the platform accepted and is still processing. */
export const taken = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), (error) => (error instanceof Accepted ? error : assert.fail("It is not taken")))

/** A post with a picture, and a stand-in of a platform that prepares the picture. */
export const slowWorld = Effect.fnUntraced(function* (platform: Conformance) {
  const { accepted, account: bare, adapter, requests } = yield* standInWorld(platform)
  const account: Account = { ...bare, files: { ...bare.files, read: () => Stream.make(new Uint8Array(4)) } }

  /** Prepares the post until it is ready. Returns everything that the platform began in the meantime. */
  const prepareReady = Effect.gen(function* () {
    const { upload = () => Effect.die("The platform takes no files") } = adapter
    const progress = yield* upload([picture], account, null)
    const request: PublishRequest = {
      targetId,
      text: "Hello",
      settings: {},
      uploads: progress._tag === "Uploaded" ? progress.uploads : null
    }
    const begun: Array<Schema.Json> = []
    const prepare: Effect.Effect<Prepared, unknown> = Effect.suspend(() =>
      adapter.prepare({ ...request, begun: begun.at(-1) ?? null }, account)
    ).pipe(
      Effect.catchTag("Preparing", (preparing) => {
        begun.push(preparing.begun)
        return Effect.andThen(TestClock.adjust(preparing.askAfter), prepare)
      })
    )
    return { account, begun, request, prepared: yield* prepare }
  })
  return { accepted, adapter, prepareReady, posts: Effect.sync(() => requests.filter(platform.isPost).length) }
})
