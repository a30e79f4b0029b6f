import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Layer, Option, Redacted } from "effect"
import { PostId } from "../../src/domain/ids.ts"
import {
  DuplicateRefused,
  NeedsReauthorization,
  OutcomeUnknown,
  Overloaded,
  type Publication,
  RateLimited,
  Rejected,
  UploadsGone
} from "../../src/domain/publishing/platformError.ts"
import { storeFailure } from "../../src/domain/publishing/storedUploads.ts"
import { type PlatformAdapter, PlatformClient } from "../../src/platforms/PlatformClient.ts"
import { attempt } from "../../src/publishing/attempt.ts"
import type { Claim, OtherVersions, Targets } from "../../src/repo/targets/Targets.ts"
import { fakeRepo } from "../support/database/fakeRepo.ts"
import { claimed, claimedFile, currentLease, perhapsPublished, sendsLayer, toResend } from "./claimed.ts"
import { scriptedSend } from "./scriptedSend.ts"
import { perPlatform } from "../support/platforms/perPlatform.ts"

const noon = DateTime.makeUnsafe("2030-01-31T12:00:00Z")
const sent: Publication = { platformPostId: "1", url: null }
const shown: Publication = { platformPostId: "2", url: null, recognized: true }

const duplicate = Effect.fail(new DuplicateRefused({ message: "X has the text already" }))
const unreadable = Effect.fail(new OutcomeUnknown({ message: "The timeline could not be read" }))

/** The outcome of an attempt, and the calls to the platform. By default a send succeeds, and looks find nothing. */
const attempted = Effect.fn(function* (
  claim: Claim,
  answers: { readonly publish?: Parameters<typeof scriptedSend>[0]; readonly find?: PlatformAdapter["find"] } = {},
  publishedWithText: Targets["publishedWithText"] = () => Effect.succeedNone,
  otherVersions: OtherVersions = { found: null, awaited: null }
) {
  const calls: Array<string> = []
  const record = <A, E>(call: string, answer: Effect.Effect<A, E>) =>
    Effect.suspend(() => {
      calls.push(call)
      return answer
    })
  const adapter: PlatformAdapter = {
    maxReconcileAttempts: 3,
    renew: () => Effect.die("Unexpected renewal"),
    prepare: ({ text }) =>
      record("prepare", text === "Long" ? Effect.fail(new Rejected({ message: "Too long" })) : Effect.succeed(text)),
    ...scriptedSend((...args) => record("publish", answers.publish?.(...args) ?? Effect.succeed(sent))),
    reconcile: () => record("reconcile", Effect.succeed(shown)),
    find: (...args) =>
      record(
        `find since ${DateTime.formatIso(args[2])}${args[3] === undefined ? "" : ` until ${DateTime.formatIso(args[3])}`}`,
        answers.find?.(...args) ?? Effect.succeedNone
      )
  }
  const world = Layer.mergeAll(
    currentLease,
    fakeRepo({
      targets: {
        beginSend: () =>
          Effect.as(
            Effect.sync(() => calls.push("beginSend")),
            undefined
          ),
        publishedWithText,
        otherVersions: () => Effect.succeed(otherVersions)
      },
      integrations: { credentials: () => Effect.succeed(Redacted.make("access")) }
    }),
    Layer.succeed(
      PlatformClient,
      perPlatform(() => adapter)
    )
  )
  const outcome = yield* Effect.provide(attempt(claim), Layer.provideMerge(sendsLayer, world))
  const error = outcome._tag === "Failed" ? outcome.error : undefined
  return {
    calls,
    end: error?._tag ?? outcome._tag,
    conclusive: error?._tag === "OutcomeUnknown" && error.conclusive === true,
    message: error?.message ?? "",
    publication: outcome._tag === "Published" ? outcome.publication : undefined
  }
})

const epoch = "1970-01-01T00:00:00.000Z"

describe("A refusal because of an equal text", () => {
  it.effect("A first send is rejected without a look, because the other post is not this target's", () =>
    Effect.gen(function* () {
      const { calls, end, message } = yield* attempted(claimed(), { publish: () => duplicate })
      assert.deepStrictEqual([end, message], ["Rejected", "X has the text already"])
      assert.deepStrictEqual(calls, ["prepare", "beginSend", "publish"])
    })
  )

  it.effect("The rejection names the team's own post with the text", () =>
    Effect.gen(function* () {
      const postId = PostId.make("01a1fc17-0000-7000-8000-00000000000a")
      const { message } = yield* attempted(claimed(), { publish: () => duplicate }, () =>
        Effect.succeedSome({ postId, publishedAt: noon })
      )
      assert.strictEqual(message, `X has the text already: post ${postId}, published at 2030-01-31T12:00:00.000Z`)
    })
  )

  it.effect("A repeated send looks for the earlier one", () =>
    Effect.gen(function* () {
      const again = claimed({ ...perhapsPublished, ...toResend })
      let looks = 0
      const { calls, publication } = yield* attempted(again, {
        publish: () => duplicate,
        find: () => Effect.succeed(looks++ === 0 ? Option.none() : Option.some(shown))
      })
      assert.deepStrictEqual(publication, shown)
      assert.deepStrictEqual(calls, [`find since ${epoch}`, "beginSend", "publish", `find since ${epoch}`])
    })
  )

  it.effect("The outcome stays unknown if the earlier send is not shown", () =>
    Effect.gen(function* () {
      const again = claimed({ ...perhapsPublished, ...toResend })
      const { conclusive, end } = yield* attempted(again, { publish: () => duplicate })
      assert.deepStrictEqual([end, conclusive], ["OutcomeUnknown", false])
    })
  )
})

describe("A post whose files were refused", () => {
  const error = { code: "rejected", message: "Not this file", retryable: false } as const
  const refused = { media: [claimedFile], prepared: storeFailure(error) }
  const gap = { reconcileFrom: DateTime.makeUnsafe(0), reconcileUntil: null }

  it.effect("One that a restore marked is looked for first, and published where it is found", () =>
    Effect.gen(function* () {
      const { publication } = yield* attempted(claimed({ ...refused, ...gap }), {
        find: () => Effect.succeedSome(shown)
      })
      assert.deepStrictEqual(publication, shown)
    })
  )

  it.effect("One that is not found fails with the reason of the refusal", () =>
    Effect.gen(function* () {
      const { calls, end } = yield* attempted(claimed({ ...refused, ...gap }))
      assert.deepStrictEqual([end, calls], ["Settled", ["prepare", `find since ${epoch}`]])
    })
  )

  it.effect("One that was sent before is looked for, and its outcome stays unknown where it is not found", () =>
    Effect.gen(function* () {
      const wasSent = claimed({ ...refused, sentAt: DateTime.makeUnsafe(0), ...toResend })
      const found = yield* attempted(wasSent, { find: () => Effect.succeedSome(shown) })
      assert.deepStrictEqual(found.publication, shown)
      const { calls, end } = yield* attempted(wasSent)
      assert.deepStrictEqual([end, calls], ["OutcomeUnknown", ["prepare", `find since ${epoch}`]])
    })
  )

  it.effect(
    "One that was sent before, and whose refusal can't be read, is looked for and not sent without its files",
    () =>
      Effect.gen(function* () {
        const prepared = { _tag: "UploadFailure", uploadFailure: { code: "later" } }
        const wasSent = claimed({ ...refused, prepared, sentAt: DateTime.makeUnsafe(0), ...toResend })
        const { calls, end } = yield* attempted(wasSent)
        assert.deepStrictEqual([end, calls], ["OutcomeUnknown", ["prepare", `find since ${epoch}`]])
      })
  )

  it.effect("One that can't be looked for without its files is left to a person", () =>
    Effect.gen(function* () {
      const { calls, conclusive, end } = yield* attempted(claimed({ ...refused, ...gap, text: "Long" }))
      assert.deepStrictEqual([end, conclusive, calls], ["OutcomeUnknown", true, ["prepare"]])
    })
  )
})

describe("A repeated send", () => {
  const again = claimed({ ...perhapsPublished, ...toResend })

  it.effect("The post is sent if a look does not find it", () =>
    Effect.gen(function* () {
      const { calls, publication } = yield* attempted(again)
      assert.deepStrictEqual(publication, sent)
      assert.deepStrictEqual(calls, [`find since ${epoch}`, "beginSend", "publish"])
    })
  )

  it.effect("Nothing is sent if the post is found", () =>
    Effect.gen(function* () {
      const { calls, publication } = yield* attempted(again, { find: () => Effect.succeedSome(shown) })
      assert.deepStrictEqual(publication, shown)
      assert.deepStrictEqual(calls, [`find since ${epoch}`])
    })
  )

  it.effect("Nothing is sent while looking fails", () =>
    Effect.gen(function* () {
      const failed = yield* attempted(again, { find: () => unreadable })
      assert.deepStrictEqual([failed.end, failed.calls.length], ["Unavailable", 1])
      const limited = yield* attempted(again, {
        find: () => Effect.fail(new RateLimited({ message: "", until: noon }))
      })
      assert.deepStrictEqual([limited.end, limited.calls.length], ["RateLimited", 1])
    })
  )

  it.effect("A look that leaves open whose post is shown leaves it to a person", () =>
    Effect.gen(function* () {
      const open = new OutcomeUnknown({ message: "Whose?", conclusive: true })
      const { calls, conclusive, end } = yield* attempted(again, { find: () => Effect.fail(open) })
      assert.deepStrictEqual([end, conclusive, calls.length], ["OutcomeUnknown", true, 1])
    })
  )

  it.effect("An overloaded platform is an answer, also to a first send", () =>
    Effect.gen(function* () {
      const publish = () => Effect.fail(new Overloaded({ message: "Later" }))
      assert.strictEqual((yield* attempted(claimed(), { publish })).end, "Overloaded")
    })
  )
})

describe("Files that the platform has lost", () => {
  const gone = () => Effect.fail(new UploadsGone({ message: "The files have run out" }))

  it.effect("They are uploaded again before a first send", () =>
    Effect.gen(function* () {
      const { calls, end } = yield* attempted(claimed(), { publish: gone })
      assert.strictEqual(end, "AwaitsUpload")
      assert.deepStrictEqual(calls, ["prepare", "beginSend", "publish"])
    })
  )

  it.effect("Other files do not go out after an earlier send that may have been published", () =>
    Effect.gen(function* () {
      const { end, message } = yield* attempted(claimed({ ...perhapsPublished, ...toResend }), {
        publish: gone
      })
      assert.strictEqual(end, "OutcomeUnknown")
      assert.include(message, "The files have run out, so it was not sent again")
    })
  )
})

describe("A post that an unknown process may have sent", () => {
  const gap = { reconcileFrom: noon, dueSince: DateTime.add(noon, { minutes: 5 }) }
  const restored = { ...gap, reconcileUntil: DateTime.add(noon, { hours: 1 }) }
  const since = "find since 2030-01-31T12:00:00.000Z"
  const untilRestored = `${since} until 2030-01-31T13:00:00.000Z`

  it.effect("A post that is found is published, and nothing is sent", () =>
    Effect.gen(function* () {
      const { calls, publication } = yield* attempted(claimed({ ...restored, reconcileUntil: null }), {
        find: () => Effect.succeedSome(shown)
      })
      assert.deepStrictEqual(publication, shown)
      assert.deepStrictEqual(calls, ["prepare", since])
    })
  )

  it.effect(
    "A post that is not found is sent if it fell due after the database was restored, or the service was away",
    () =>
      Effect.gen(function* () {
        const later = claimed({ ...restored, dueSince: restored.reconcileUntil })
        assert.deepStrictEqual((yield* attempted(later)).calls, ["prepare", untilRestored, "beginSend", "publish"])
        assert.deepStrictEqual((yield* attempted(claimed(gap))).calls, ["prepare", since, "beginSend", "publish"])
      })
  )

  it.effect("A post that is not found is left to a person if it was due before", () =>
    Effect.gen(function* () {
      const { calls, conclusive, end, message } = yield* attempted(claimed(restored))
      assert.deepStrictEqual([end, conclusive], ["OutcomeUnknown", true])
      assert.include(message, "restored")
      assert.deepStrictEqual(calls, ["prepare", untilRestored])
    })
  )

  it.effect("Nothing is sent while looking fails", () =>
    Effect.gen(function* () {
      const { calls, end } = yield* attempted(claimed(gap), { find: () => unreadable })
      assert.deepStrictEqual([end, calls], ["Unavailable", ["prepare", since]])
    })
  )

  it.effect("A post that went out before it was changed is left to a person, and nothing is sent", () =>
    Effect.gen(function* () {
      const changed = claimed({ ...gap, text: "After", reconcileText: "Before" })
      const { calls, conclusive, end, message } = yield* attempted(changed, {
        find: (prepared) => Effect.succeed(prepared === "Before" ? Option.some(shown) : Option.none())
      })
      assert.deepStrictEqual([end, conclusive, calls], ["OutcomeUnknown", true, ["prepare", "prepare", since]])
      assert.include(message, "before it was changed")
    })
  )

  it.effect("A changed post is sent if neither text is found, or the earlier one was too long to go out", () =>
    Effect.gen(function* () {
      const changed = claimed({ ...gap, text: "After", reconcileText: "Before" })
      const looks = ["prepare", "prepare", since, since, "beginSend", "publish"]
      assert.deepStrictEqual((yield* attempted(changed)).calls, looks)
      const shortened = claimed({ ...gap, text: "After", reconcileText: "Long" })
      assert.deepStrictEqual((yield* attempted(shortened)).calls, ["prepare", "prepare", since, "beginSend", "publish"])
    })
  )

  const dueLater = claimed({ ...restored, dueSince: restored.reconcileUntil })

  it.effect("A post that another platform shows with another text is left to a person, and nothing is sent", () =>
    Effect.gen(function* () {
      const versions: OtherVersions = { found: "bluesky", awaited: null }
      const { calls, conclusive, end, message } = yield* attempted(dueLater, {}, undefined, versions)
      assert.deepStrictEqual([end, conclusive, calls], ["OutcomeUnknown", true, ["prepare", untilRestored]])
      assert.include(message, "on Bluesky with another text")
    })
  )

  it.effect("A post is tried again later while another platform may show another text", () =>
    Effect.gen(function* () {
      const { calls, end } = yield* attempted(dueLater, {}, undefined, { found: null, awaited: "bluesky" })
      assert.deepStrictEqual([end, calls], ["Unavailable", ["prepare", untilRestored]])
    })
  )

  it.effect("Refused credentials need the account connected again, with a warning", () =>
    Effect.gen(function* () {
      const { end, message } = yield* attempted(claimed(gap), {
        find: () => Effect.fail(new NeedsReauthorization({ message: "Expired" }))
      })
      assert.strictEqual(end, "NeedsReauthorization")
      assert.include(message, "may have been published already")
    })
  )

  it.effect("A send whose outcome was unknown is looked for and never repeated", () =>
    Effect.gen(function* () {
      const { calls, end } = yield* attempted(claimed({ ...perhapsPublished, reconcileFrom: noon }))
      assert.deepStrictEqual([end, calls], ["OutcomeUnknown", [`find since ${epoch}`]])
    })
  )

  it.effect("A refusal because of an equal text is looked up, for it may be the unknown process's post", () =>
    Effect.gen(function* () {
      const { calls, end } = yield* attempted(claimed(gap), { publish: () => duplicate })
      assert.deepStrictEqual([end, calls], ["OutcomeUnknown", ["prepare", since, "beginSend", "publish", since]])
    })
  )
})

describe("A refusal of what is sent again", () => {
  it.effect("It warns that the first send may have been carried out", () =>
    Effect.gen(function* () {
      const refuse = { publish: () => Effect.fail(new Rejected({ message: "Not this text" })) }
      const first = yield* attempted(claimed(), refuse)
      assert.deepStrictEqual([first.end, first.message], ["Rejected", "Not this text"])
      const again = yield* attempted(claimed({ ...perhapsPublished, ...toResend }), refuse)
      assert.deepStrictEqual(
        [again.end, again.message],
        [
          "Rejected",
          "Not this text. Check the account before you publish this again: it may have been published already."
        ]
      )
    })
  )
})

describe("A post of another account than the connected one", () => {
  it.effect("Nothing is sent, and the message says what has to happen", () =>
    Effect.gen(function* () {
      const { calls, end, message } = yield* attempted(claimed({ accountId: "2" }))
      assert.deepStrictEqual([end, calls], ["NeedsReauthorization", []])
      assert.strictEqual(
        message,
        "This post belongs to the account with the id 2, but team is connected. Connect the post's own account again, or move the post to team."
      )
    })
  )

  it.effect("The outcome of an earlier send is left to a person at once, as the other account can't show it", () =>
    Effect.gen(function* () {
      const { calls, end } = yield* attempted(claimed({ ...perhapsPublished, accountId: "2" }))
      assert.deepStrictEqual([end, calls], ["OutcomeUnknown", []])
    })
  )
})
