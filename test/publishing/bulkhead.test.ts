import { assert, layer } from "@effect/vitest"
import { Context, Deferred, Effect, Layer, Logger, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { type PlatformAdapter, PlatformClient } from "../../src/platforms/PlatformClient.ts"
import { Publisher } from "../../src/publishing/Publisher.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { makeDuePosts } from "../support/database/duePosts.ts"
import { repoLayer } from "../support/database/testDatabase.ts"
import { ok, Script, scriptedPlatform } from "./scriptedPlatform.ts"
import { scriptedSend } from "./scriptedSend.ts"
import { perPlatform } from "../support/platforms/perPlatform.ts"

const hangingHost = "https://hanging.test"

/** Ends the hanging requests, so that the publisher stops at once. */
class EndHanging extends Context.Service<EndHanging, Effect.Effect<unknown>>()("test/EndHanging") {}

/** The scripted platforms, except that requests to one host hang. */
const platforms = Layer.effectContext(
  Effect.gen(function* () {
    const scripted = yield* PlatformClient
    const end = yield* Deferred.make<void>()
    const hanging = scriptedSend(() => Effect.andThen(Deferred.await(end), ok), "guarded")
    const hang = (adapter: PlatformAdapter): PlatformAdapter => ({
      ...adapter,
      calls: { configured: adapter.calls.configured, guarded: hanging.calls.guarded },
      send: (prepared, access, now) =>
        (access.serviceUrl === hangingHost ? hanging : adapter).send(prepared, access, now)
    })
    return Context.make(
      PlatformClient,
      perPlatform((platform) => hang(scripted[platform]))
    ).pipe(Context.add(EndHanging, Deferred.succeed(end, undefined)))
  })
).pipe(Layer.provideMerge(scriptedPlatform))

/** Due posts of accounts on the host that hangs. */
const makeHanging = Effect.fn("makeHanging")(function* (accounts: number, platform: "twitter" | "bluesky") {
  const sql = yield* SqlClient.SqlClient
  const posts = yield* makeDuePosts(accounts, 1, platform)
  yield* sql`
    UPDATE integrations SET service_url = ${hangingHost} WHERE id = ANY(${posts.map(({ account }) => account)}::uuid[])`
})

/** A Repo that reads any credentials, because the accounts of `makeDuePosts` have none. */
const readable = Layer.effect(
  Repo,
  Effect.map(Repo, (repo) =>
    Repo.of({
      ...repo,
      integrations: { ...repo.integrations, openCredentials: () => Effect.succeed(Redacted.make("access")) }
    })
  )
)

layer(
  Publisher.layer.pipe(
    Layer.provide(readable),
    Layer.provideMerge(platforms),
    Layer.provideMerge(repoLayer),
    Layer.merge(Logger.layer([]))
  ),
  {
    excludeTestServices: true
  }
)("Publisher beside a host that hangs", (it) => {
  it.effect(
    "Posts on the other platform and on other hosts go out at once although 150 accounts are on a host that hangs",
    () =>
      Effect.gen(function* () {
        const publisher = yield* Publisher
        const script = yield* Script
        const sql = yield* SqlClient.SqlClient
        yield* makeHanging(150, "bluesky")
        yield* publisher.tick
        yield* makeDuePosts(1, 1, "twitter")
        yield* makeDuePosts(1, 1, "bluesky")
        assert.strictEqual(yield* publisher.tick, 2)
        assert.sameMembers(
          [(yield* script.nextCall).platform, (yield* script.nextCall).platform],
          ["twitter", "bluesky"]
        )
        const inFlight = yield* sql`SELECT FROM post_targets WHERE status = 'publishing' AND platform = 'bluesky'`
        assert.isAtMost(inFlight.length, 129)
      })
  )

  it.effect("Bluesky's posts go out at once although X hangs", () =>
    Effect.gen(function* () {
      const publisher = yield* Publisher
      const script = yield* Script
      yield* makeHanging(100, "twitter")
      yield* publisher.tick
      yield* script.calls
      yield* makeDuePosts(1, 1, "bluesky")
      yield* publisher.tick
      assert.strictEqual((yield* script.nextCall).platform, "bluesky")
      yield* yield* EndHanging
      yield* publisher.idle
    })
  )
})
