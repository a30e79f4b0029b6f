import { assert, describe, it } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber, Layer, Option, Queue } from "effect"
import { TestClock } from "effect/testing"
import { AskPostingOptions, askPostingOptionsLayer } from "../../src/accounts/AskPostingOptions.ts"
import type { PostingOptions } from "../../src/domain/accounts/postingOptions.ts"
import { IntegrationId, WorkspaceId } from "../../src/domain/ids.ts"
import { type PlatformError, Unavailable } from "../../src/domain/publishing/platformError.ts"
import { type PlatformAdapter, PlatformClient } from "../../src/platforms/PlatformClient.ts"
import type { PublishingState } from "../../src/repo/publishingState.ts"
import { fakeRepo } from "../support/database/fakeRepo.ts"
import { anIntegration } from "../support/http/samplePosts.ts"
import { perPlatform } from "../support/platforms/perPlatform.ts"
import { scriptedSend } from "../publishing/scriptedSend.ts"

const workspaceId = WorkspaceId.make("01a1fc17-0000-7000-8000-000000000002")

const options: PostingOptions = { username: "team", display_name: "Team", settings: [], max_video_duration_ms: null }

const account = { ...anIntegration, platform: "tiktok" as const }
const accountOf = (number: number) => ({
  ...account,
  id: IntegrationId.make(`01a1fc17-dc2e-777d-ad63-00000000000${number}`)
})

const unexpected = () => Effect.die("It is not called")

const adapterWith = (postingOptions: PlatformAdapter["postingOptions"]): PlatformAdapter => ({
  renew: unexpected,
  maxReconcileAttempts: 1,
  prepare: unexpected,
  ...scriptedSend(unexpected),
  reconcile: unexpected,
  find: unexpected,
  ...(postingOptions === undefined ? {} : { postingOptions })
})

const noHold: PublishingState["hold"] = Effect.succeedNone

const asking = (postingOptions?: PlatformAdapter["postingOptions"], hold = noHold) =>
  askPostingOptionsLayer.pipe(
    Layer.provide([
      fakeRepo({ publishingState: { hold, lookAfterGap: unexpected() } }),
      Layer.succeed(
        PlatformClient,
        perPlatform(() => adapterWith(postingOptions))
      )
    ])
  )

const ask = (of = account) => Effect.flatMap(AskPostingOptions, (find) => find(workspaceId, of))

describe("AskPostingOptions", () => {
  it.effect("While a restored database holds publishing nothing is asked, because it has old tokens", () =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(ask())
      assert.include(refused.message, "the database was restored")
    }).pipe(
      Effect.provide(
        asking(
          unexpected,
          Effect.map(DateTime.now, (since) => Option.some({ since, takenAt: null, restoredAt: null }))
        )
      )
    )
  )

  it.effect("A platform is asked once a minute for each account", () => {
    const asked: Array<string> = []
    return Effect.gen(function* () {
      assert.strictEqual(yield* ask(), options)
      yield* ask()
      yield* ask(accountOf(4))
      assert.deepStrictEqual(asked, [account.id, accountOf(4).id])
      yield* TestClock.adjust("61 seconds")
      yield* ask()
      assert.lengthOf(asked, 3)
    }).pipe(
      Effect.provide(
        asking(({ integrationId }) =>
          Effect.as(
            Effect.sync(() => asked.push(integrationId)),
            options
          )
        )
      )
    )
  })

  it.effect("A failure is kept for fifteen seconds, so that a form that asks again costs the platform little", () => {
    const answers: Array<Effect.Effect<PostingOptions, PlatformError>> = [
      Effect.fail(new Unavailable({ message: "It is away" })),
      Effect.succeed(options)
    ]
    return Effect.gen(function* () {
      for (let times = 0; times < 3; times++) assert.strictEqual((yield* Effect.flip(ask())).message, "It is away")
      yield* TestClock.adjust("16 seconds")
      assert.strictEqual(yield* ask(), options)
    }).pipe(Effect.provide(asking(() => Effect.suspend(() => answers.shift() ?? unexpected()))))
  })

  it.effect("A platform that does not answer within fifteen seconds is away", () =>
    Effect.gen(function* () {
      const waiting = yield* Effect.forkChild(Effect.flip(ask()))
      yield* TestClock.adjust("15 seconds")
      assert.deepInclude(yield* Fiber.join(waiting), { _tag: "Unavailable", message: "TikTok did not answer in time" })
    }).pipe(Effect.provide(asking(() => Effect.never)))
  )

  it.effect("A workspace asks four questions at once, and one without a turn within ten seconds fails", () =>
    Effect.gen(function* () {
      const begun = yield* Queue.unbounded<string>()
      const ended = yield* Deferred.make<void>()
      const slow = ({ integrationId }: { readonly integrationId: string }) =>
        Effect.as(Effect.andThen(Queue.offer(begun, integrationId), Deferred.await(ended)), options)
      yield* Effect.gen(function* () {
        const waiting = yield* Effect.forkChild(
          Effect.forEach([1, 2, 3, 4, 5], (number) => Effect.result(ask(accountOf(number))), {
            concurrency: "unbounded"
          })
        )
        yield* Queue.takeN(begun, 4)
        yield* TestClock.adjust("10 seconds")
        assert.strictEqual(yield* Queue.size(begun), 0)
        yield* Deferred.succeed(ended, undefined)
        const tags = (yield* Fiber.join(waiting)).map(({ _tag }) => _tag)
        assert.deepStrictEqual(tags, ["Success", "Success", "Success", "Success", "Failure"])
      }).pipe(Effect.provide(asking(slow)))
    })
  )

  it.effect("Nothing is asked of a platform whose accounts have the same choices, or without the layer", () =>
    Effect.gen(function* () {
      assert.isNull(yield* ask())
      assert.isNull(yield* Effect.provide(ask(), asking()))
    })
  )
})
