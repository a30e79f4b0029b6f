import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration, Effect, Layer, Option, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { Accepted, Dropped, OutcomeUnknown, RateLimited } from "../../../src/domain/publishing/platformError.ts"
import { settle } from "../../../src/domain/publishing/settlement.ts"
import { sendPost } from "../../../src/platforms/carryOut.ts"
import { lastChunk } from "../../../src/platforms/tiktok/chunks.ts"
import { makeTiktokStandIn } from "../../../src/platforms/tiktok/standIn/standIn.ts"
import { platformHttpLayer } from "../../support/http/platformHttpLayer.ts"
import { accountOf, adapterOf, answerPreparing, bodyOf, prepareBy, respond } from "../contract/conformance.ts"
import { outcome, statusFault } from "../world.ts"
import { answer, creator, refuse, tiktokConformance, video } from "./conformance.ts"
import { tiktokWorld, wait } from "./world.ts"

const withServers = Layer.merge(platformHttpLayer, SecureRandom.layerWebCrypto)

/** Videos of three chunks. */
const large = 16_000_000

/** TikTok processes a video for some seconds, and names it later. */
const slow = {
  ...tiktokConformance,
  standIn: makeTiktokStandIn({ processing: 30_000, naming: 60_000 })
}

const privately = (privacy_level: "MUTUAL_FOLLOW_FRIENDS" | "SELF_ONLY") => ({
  settings: { tiktok: { privacy_level } }
})

describe("A video on TikTok", () => {
  it.effect("It goes out with the text and settings of its post, and without a token in the upload", () =>
    Effect.gen(function* () {
      const { accepted, account, adapter, asked, chunks, prepare, reads } = yield* tiktokWorld()
      const prepared = yield* prepare({
        settings: {
          tiktok: {
            privacy_level: "PUBLIC_TO_EVERYONE",
            tiktok_title: "Roasting #coffee",
            allow_comment: true,
            promotes_own_brand: true
          }
        }
      })
      assert.strictEqual(yield* accepted, 0)
      assert.lengthOf(chunks(), 0)
      const { platformPostId, url } = yield* sendPost(adapter, prepared, account)
      const [init] = asked("video/init")
      assert.deepStrictEqual(init && bodyOf(init), {
        post_info: {
          title: "Roasting #coffee",
          privacy_level: "PUBLIC_TO_EVERYONE",
          disable_comment: false,
          disable_duet: true,
          disable_stitch: true,
          brand_content_toggle: false,
          brand_organic_toggle: true,
          is_aigc: false
        },
        source_info: { source: "FILE_UPLOAD", video_size: 200_000, chunk_size: 200_000, total_chunk_count: 1 }
      })
      const [put] = chunks()
      assert.deepStrictEqual(
        [put?.headers["content-range"], put?.headers["content-type"], put?.headers["authorization"]],
        ["bytes 0-199999/200000", "video/mp4", undefined]
      )
      assert.deepStrictEqual(reads, [{ offset: 0, length: 200_000 }])
      assert.strictEqual(yield* accepted, 1)
      // Its id is above 2^53, and is kept without loss.
      assert.match(platformPostId ?? "", /^[1-9]\d{18}$/)
      assert.isTrue(BigInt(platformPostId ?? 0) > BigInt(Number.MAX_SAFE_INTEGER))
      assert.isTrue(url?.endsWith(`/@team/video/${platformPostId}`))
    }).pipe(Effect.provide(withServers))
  )

  it.effect("A large one is uploaded in chunks, whose last one is sent with the post, and none is read whole", () =>
    Effect.gen(function* () {
      const { accepted, account, adapter, chunks, prepareOnce, reads } = yield* tiktokWorld(large)
      const begun = yield* Effect.flip(prepareOnce())
      if (begun._tag !== "Preparing") return assert.fail("The id is not stored before the first byte")
      assert.lengthOf(chunks(), 0)
      const prepared = yield* prepareOnce({ begun: begun.begun })
      assert.deepStrictEqual(
        chunks().map(({ headers }) => headers["content-range"]),
        ["bytes 0-5333332/16000000", "bytes 5333333-10666665/16000000"]
      )
      assert.strictEqual(yield* accepted, 0)
      assert.strictEqual(yield* outcome(sendPost(adapter, prepared, account)), "success")
      assert.deepStrictEqual(reads.at(-1), lastChunk(large))
      assert.isTrue(reads.every(({ length }) => length < 11_000_000))
      assert.deepStrictEqual([chunks().length, yield* accepted], [3, 1])
    }).pipe(Effect.provide(withServers))
  )

  it.effect.each(["before_commit", "after_commit"] as const)(
    "A chunk whose answer is lost %s is continued, and its bytes arrive once",
    (when) =>
      Effect.gen(function* () {
        const { accepted, account, adapter, asked, fail, prepare } = yield* tiktokWorld(large)
        yield* fail({ kind: "reset", when }, "publish", 1)
        const prepared = yield* prepare()
        assert.strictEqual(yield* outcome(sendPost(adapter, prepared, account)), "success")
        assert.lengthOf(asked("video/init"), 1)
        assert.strictEqual(yield* accepted, 1)
      }).pipe(Effect.provide(withServers))
  )

  it.effect("An upload that TikTok has lost begins anew before the last chunk", () =>
    Effect.gen(function* () {
      const { accepted, account, adapter, asked, fail, prepare } = yield* tiktokWorld(large)
      yield* fail({ kind: "forgotten_files" }, "publish", 1)
      const prepared = yield* prepare()
      assert.strictEqual(yield* outcome(sendPost(adapter, prepared, account)), "success")
      assert.lengthOf(asked("video/init"), 2)
      assert.strictEqual(yield* accepted, 1)
    }).pipe(Effect.provide(withServers))
  )

  it.effect("An upload goes on only with the same text, settings and file", () =>
    Effect.gen(function* () {
      const { asked, prepareOnce } = yield* tiktokWorld(large)
      const begun = yield* Effect.flip(prepareOnce())
      if (begun._tag !== "Preparing") return assert.fail("It has not begun")
      const again = yield* Effect.flip(prepareOnce({ begun: begun.begun, text: "Another text" }))
      assert.strictEqual(again._tag, "Preparing")
      assert.lengthOf(asked("video/init"), 2)
    }).pipe(Effect.provide(withServers))
  )

  it.effect("While chunks don't arrive, the upload waits, and holds no slot", () =>
    Effect.gen(function* () {
      const { fail, prepareOnce } = yield* tiktokWorld(large)
      const begun = yield* Effect.flip(prepareOnce())
      if (begun._tag !== "Preparing") return assert.fail("It has not begun")
      for (const fault of [statusFault(503), statusFault(429), { kind: "front", status: 502 } as const]) {
        yield* fail(fault, "publish", 1)
        const waiting = yield* Effect.flip(prepareOnce({ begun: begun.begun }))
        assert.deepStrictEqual(waiting._tag === "Preparing" && [Duration.toSeconds(waiting.askAfter), waiting.begun], [
          10,
          begun.begun
        ])
      }
    }).pipe(Effect.provide(withServers))
  )

  it.effect("Its address takes bytes for an hour, and later a new upload is begun", () =>
    Effect.gen(function* () {
      const { accepted, account, adapter, asked, prepare, prepareOnce } = yield* tiktokWorld(large)
      const begun = yield* Effect.flip(prepareOnce())
      const prepared = yield* prepare()
      yield* wait("56 minutes")
      assert.strictEqual(yield* outcome(sendPost(adapter, prepared, account)), "UploadsGone")
      if (begun._tag !== "Preparing") return assert.fail("It has not begun")
      assert.strictEqual(yield* outcome(prepareOnce({ begun: begun.begun })), "Preparing")
      assert.lengthOf(asked("video/init"), 3)
      assert.strictEqual(yield* accepted, 0)
    }).pipe(Effect.provide(withServers))
  )

  it.effect("No other host gets its bytes", () =>
    Effect.gen(function* () {
      const { chunks, fail, prepareOnce } = yield* tiktokWorld()
      yield* fail({ kind: "nulls" }, "upload", 1)
      assert.strictEqual(yield* outcome(prepareOnce()), "Unavailable")
      assert.lengthOf(chunks(), 0)
    }).pipe(Effect.provide(withServers))
  )

  it.effect("It is published once TikTok has processed it, and its address comes later", () =>
    Effect.gen(function* () {
      const { account, adapter, prepare } = yield* tiktokWorld(200_000, slow)
      const prepared = yield* prepare()
      const sentAt = yield* DateTime.now
      const taken = yield* Effect.flip(sendPost(adapter, prepared, account))
      assert.isTrue(taken instanceof Accepted)
      assert.strictEqual(yield* outcome(adapter.reconcile(prepared, account, sentAt)), "Accepted")
      assert.strictEqual(yield* outcome(adapter.find(prepared, account, sentAt)), "Accepted")
      yield* wait("30 seconds")
      const published = yield* adapter.reconcile(prepared, account, sentAt)
      assert.deepStrictEqual(published, { platformPostId: null, url: null, addressFollows: true })
      const { findAddress = () => Effect.die("Nobody finds it") } = adapter
      assert.isTrue(Option.isNone(yield* findAddress(prepared, account, sentAt)))
      yield* wait("1 minute")
      const found = Option.getOrThrow(yield* findAddress(prepared, account, sentAt))
      assert.match(found.url ?? "", /\/@team\/video\/[1-9]\d{18}$/)
      assert.isTrue(found.url?.endsWith(found.platformPostId ?? "no id"))
    }).pipe(Effect.provide(withServers))
  )

  it.effect.each(["MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"] as const)("One for %s never has an address", (level) =>
    Effect.gen(function* () {
      const { account, adapter, prepare } = yield* tiktokWorld()
      const prepared = yield* prepare(privately(level))
      const published = yield* sendPost(adapter, prepared, account)
      assert.deepStrictEqual(published, { platformPostId: null, url: null })
    }).pipe(Effect.provide(withServers))
  )

  it.effect.each([
    [
      "file_format_check_failed",
      "format",
      "The same video would fail again. Copy the post with another: export it as MP4"
    ],
    ["duration_check_failed", "too long", "Copy the post with another: make it as long"],
    ["frame_rate_check_failed", "frame rate", "Copy the post with another: export it with 30 or 60 frames"],
    ["picture_size_check_failed", "width and height", "with another: export it with sides of 360 to 4096 pixels"],
    ["internal", "an error of its own", "Publish it again"],
    ["auth_removed", "took the access back", "Connect the account again first, and then publish it again"],
    ["spam_risk_too_many_posts", "too many posts", "Publish it again some hours later"],
    ["spam_risk_user_banned_from_posting", "nothing at the moment", "the end of the ban"],
    ["spam_risk_text", "the text for spam", "The same text would fail again. Copy the post with another text"],
    ["spam_risk", "the post for spam", "The same post would fail again. Copy the post with another text or video"],
    ["something_new", "of something_new", "Look in TikTok's application"],
    ["two words", "of a reason that it does not name", "Look in TikTok's application"]
  ] as const)(
    "One that TikTok drops after all bytes arrived (%s) certainly is not out, and the reason and what helps are told",
    ([error, says, helps]) =>
      Effect.gen(function* () {
        const { accepted, account, adapter, fail, prepare } = yield* tiktokWorld()
        const prepared = yield* prepare()
        const sentAt = yield* DateTime.now
        yield* fail({ kind: "processing", error }, "publish", 1)
        assert.strictEqual(yield* outcome(sendPost(adapter, prepared, account)), "OutcomeUnknown")
        const dropped = yield* Effect.flip(adapter.reconcile(prepared, account, sentAt))
        if (!(dropped instanceof Dropped)) return assert.fail(dropped.message)
        assert.include(dropped.message, says)
        assert.include(dropped.message, helps)
        const canHelp = ["internal", "auth_removed", "spam_risk_too_many_posts"].includes(error)
        assert.strictEqual(/publish it again/iu.test(dropped.message), canHelp, dropped.message)
        assert.isTrue(Option.isNone(yield* adapter.find(prepared, account, sentAt)))
        // It is not sent again from this upload.
        assert.strictEqual(yield* outcome(sendPost(adapter, prepared, account)), "UploadsGone")
        assert.strictEqual(yield* accepted, 0)
      }).pipe(Effect.provide(withServers))
  )

  it.effect("A last chunk that never arrived is sent again, but not after an hour, and then is not out", () =>
    Effect.gen(function* () {
      const { accepted, account, adapter, chunks, fail, prepare } = yield* tiktokWorld()
      const lost = yield* prepare()
      const sentAt = yield* DateTime.now
      yield* fail({ kind: "reset", when: "before_commit" }, "publish", 3)
      assert.strictEqual(yield* outcome(sendPost(adapter, lost, account)), "OutcomeUnknown")
      assert.strictEqual(yield* outcome(adapter.reconcile(lost, account, sentAt)), "OutcomeUnknown")
      assert.lengthOf(chunks(), 2)
      yield* wait("58 minutes")
      const late = yield* Effect.flip(adapter.reconcile(lost, account, sentAt))
      assert.isTrue(late instanceof OutcomeUnknown && late.askAfter !== undefined)
      assert.lengthOf(chunks(), 2)
      yield* wait("62 minutes")
      assert.strictEqual(yield* outcome(adapter.reconcile(lost, account, sentAt)), "Dropped")
      assert.strictEqual(yield* accepted, 0)
    }).pipe(Effect.provide(withServers))
  )

  it.effect("One that is out already is not sent again, whoever orders it", () =>
    Effect.gen(function* () {
      const { accepted, account, adapter, chunks, prepare } = yield* tiktokWorld()
      const prepared = yield* prepare()
      const { platformPostId } = yield* sendPost(adapter, prepared, account)
      assert.strictEqual((yield* sendPost(adapter, prepared, account)).platformPostId, platformPostId)
      assert.deepStrictEqual([chunks().length, yield* accepted], [1, 1])
    }).pipe(Effect.provide(withServers))
  )

  it.effect("If TikTok does not know the upload any more, a person is told, and no second copy is sent", () =>
    Effect.gen(function* () {
      const { account, adapter, chunks, fail, prepare } = yield* tiktokWorld()
      const prepared = yield* prepare()
      const sentAt = yield* DateTime.now
      yield* outcome(sendPost(adapter, prepared, account))
      yield* fail(statusFault(400, { error: "invalid_publish_id" }), "timeline", 100)
      const early = yield* Effect.flip(adapter.reconcile(prepared, account, sentAt))
      assert.isTrue(early instanceof OutcomeUnknown && early.conclusive !== true)
      yield* wait("11 minutes")
      const late = yield* Effect.flip(adapter.reconcile(prepared, account, sentAt))
      assert.isTrue(late instanceof OutcomeUnknown && late.conclusive === true)
      assert.strictEqual(yield* outcome(sendPost(adapter, prepared, account)), "UploadsGone")
      assert.lengthOf(chunks(), 1)
    }).pipe(Effect.provide(withServers))
  )

  it.effect("One in a person's inbox is left to that person, before and after its last chunk", () =>
    Effect.gen(function* () {
      const chunks: Array<string> = []
      const sendWith = Effect.fnUntraced(function* (states: ReadonlyArray<string>) {
        const left = [...states]
        const adapter = adapterOf(tiktokConformance, ({ method, url }) => {
          if (method === "PUT") chunks.push(url)
          return Effect.fromResult(
            method === "PUT" ? respond(201, "") : answer({ status: left.shift() ?? "FAILED", uploaded_bytes: 0 })
          )
        })
        const prepared = yield* prepareBy(tiktokConformance, answerPreparing(tiktokConformance))
        return yield* Effect.flip(sendPost(adapter, prepared, accountOf(tiktokConformance)))
      })
      for (const states of [["SEND_TO_USER_INBOX"], ["PROCESSING_UPLOAD", "SEND_TO_USER_INBOX"]]) {
        const failure = yield* sendWith(states)
        assert.isTrue(failure instanceof OutcomeUnknown && failure.conclusive === true, failure._tag)
        assert.include(failure.message, "inbox")
      }
      assert.lengthOf(chunks, 1)
    })
  )

  it.effect("One that nobody knows by its upload is left to a person", () =>
    Effect.gen(function* () {
      const { account, adapter, prepareOnce, requests } = yield* tiktokWorld()
      const since = yield* DateTime.now
      const sought = yield* prepareOnce({ uploads: null, isSought: true })
      const failure = yield* Effect.flip(adapter.find(sought, account, since))
      assert.isTrue(failure instanceof OutcomeUnknown && failure.conclusive === true)
      assert.strictEqual(yield* outcome(sendPost(adapter, sought, account)), "UploadsGone")
      assert.lengthOf(requests, 0)
    }).pipe(Effect.provide(withServers))
  )
})

describe("What an account may do", () => {
  const preparedWith = (more: object, settings: object = {}) =>
    prepareBy(
      tiktokConformance,
      (request) =>
        Effect.fromResult(
          request.url.endsWith("/creator_info/query/")
            ? answer({ ...creator, ...more })
            : (tiktokConformance.preparing?.(request) ?? respond(404, ""))
        ),
      { settings: { tiktok: { privacy_level: "PUBLIC_TO_EVERYONE", ...settings } } }
    )

  it.effect("An option that it does not have any more is refused with those that it has", () =>
    Effect.gen(function* () {
      const options = ["FOLLOWER_OF_CREATOR", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"]
      const refused = yield* Effect.flip(preparedWith({ privacy_level_options: options }))
      assert.strictEqual(refused._tag, "Rejected")
      assert.include(refused.message, "MUTUAL_FOLLOW_FRIENDS (“Friends”), SELF_ONLY (“Only you”)")
    })
  )

  it.effect("A video that is too long for it is refused", () =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(preparedWith({ max_video_post_duration_sec: 8 }))
      assert.strictEqual(refused._tag, "Rejected")
      assert.include(refused.message, "up to 8 s, but this one has 9 s")
      assert.strictEqual(yield* outcome(preparedWith({ max_video_post_duration_sec: 9 })), "success")
    })
  )

  it.effect("Comments that it has disabled stay disabled", () =>
    Effect.gen(function* () {
      const sent: Array<unknown> = []
      yield* prepareBy(
        tiktokConformance,
        (request) => {
          const { post_info } = bodyOf(request)
          if (post_info !== undefined) sent.push(post_info.disable_comment, post_info.disable_duet)
          const own = answer({ ...creator, comment_disabled: true })
          return Effect.fromResult(post_info === undefined ? own : (tiktokConformance.preparing?.(request) ?? own))
        },
        {
          settings: {
            tiktok: { privacy_level: "SELF_ONLY", allow_comment: true, allow_duet: true }
          }
        }
      )
      assert.deepStrictEqual(sent, [true, false])
    })
  )

  it.effect.each([
    [refuse(403, "privacy_level_option_mismatch"), "Rejected"],
    [refuse(403, "spam_risk_user_banned_from_posting"), "Rejected"],
    [refuse(400, "invalid_param"), "Rejected"],
    [refuse(403, "spam_risk_too_many_posts"), "RateLimited"],
    // Some refusals come with the status of a success.
    [refuse(200, "spam_risk_too_many_posts"), "RateLimited"],
    [refuse(429, "rate_limit_exceeded"), "RateLimited"],
    [refuse(403, "reached_active_user_cap"), "ApplicationRefused"],
    [refuse(403, "unaudited_client_can_only_post_to_private_accounts"), "ApplicationRefused"],
    [refuse(401, "scope_not_authorized"), "NeedsReauthorization"],
    [refuse(500, "internal_error"), "Unavailable"],
    [answer({}), "Unavailable"],
    [respond(200, "<h1>Welcome</h1>"), "Unavailable"],
    [respond(403, ""), "Unavailable"]
  ] as const)("%j at the beginning of an upload is %s", ([said, expected]) =>
    Effect.gen(function* () {
      const made = prepareBy(tiktokConformance, (request) =>
        Effect.fromResult(request.url.endsWith("/video/init/") ? said : answer(creator))
      )
      assert.strictEqual(yield* outcome(made), expected)
    })
  )

  it.effect.each([
    ["spam_risk_too_many_posts", 120, "no more posts on this account for now: it accepts about 15 in 24 hours"],
    ["spam_risk_too_many_pending_share", 120, "no more posts on this account for now: too many videos"],
    ["rate_limit_exceeded", 1, "no more requests"]
  ] as const)("%s is tried again after %i minutes, and does not end the post", ([code, minutes, says]) =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(prepareBy(tiktokConformance, () => Effect.fromResult(refuse(403, code))))
      if (!(failure instanceof RateLimited)) return assert.fail(failure.message)
      assert.include(failure.message, says)
      const now = yield* DateTime.now
      assert.strictEqual(Duration.toMinutes(DateTime.distance(now, failure.until)), minutes)
      const settlement = settle(Result.fail(failure), {
        attempts: 1,
        dueSince: DateTime.subtract(now, { seconds: 1 }),
        now,
        jitter: 0.5,
        reconcileAttempts: 0,
        maxReconcileAttempts: 12,
        resendOrdered: false,
        reconcileFrom: null
      })
      assert.strictEqual(settlement._tag, "Retry")
    })
  )

  it.effect("A part of a thread is refused, and a post without a video", () =>
    Effect.gen(function* () {
      const { account, adapter, prepareOnce, requests } = yield* tiktokWorld()
      const first = { platformPostId: "7412345678901234567", cid: null }
      const reply = { root: first, parent: first, parentAt: yield* DateTime.now }
      assert.strictEqual(yield* outcome(prepareOnce({ reply, part: 2 })), "Rejected")
      assert.strictEqual(yield* outcome(prepareOnce({ uploads: null })), "Rejected")
      const { upload = () => Effect.die("No upload") } = adapter
      assert.strictEqual(yield* outcome(upload([], account, null)), "Rejected")
      assert.lengthOf(requests, 0)
    }).pipe(Effect.provide(withServers))
  )

  it.effect("It has access for two hours, and renews it with a token that works once", () =>
    Effect.gen(function* () {
      const { accepted, account, adapter, prepare, requests } = yield* tiktokWorld()
      yield* wait("121 minutes")
      const prepared = yield* prepare()
      assert.strictEqual(yield* outcome(sendPost(adapter, prepared, account)), "success")
      assert.strictEqual(yield* accepted, 1)
      const renewals = requests.filter(({ url }) => url.endsWith("/v2/oauth/token/"))
      assert.lengthOf(renewals, 1)
      const { credentials } = yield* adapter.renew(account, yield* account.credentials.current)
      // The earlier pair has ended.
      assert.strictEqual(
        yield* outcome(adapter.renew(account, yield* account.credentials.current)),
        "NeedsReauthorization"
      )
      const { lifetime } = yield* adapter.renew(account, credentials)
      assert.strictEqual(lifetime === undefined ? 0 : Duration.toHours(lifetime), 2)
    }).pipe(Effect.provide(withServers))
  )

  it.effect.each([
    [respond(400, { error: "invalid_grant", error_description: "Expired", log_id: "7" }), "NeedsReauthorization"],
    [respond(200, { error: "invalid_grant", error_description: "Expired", log_id: "7" }), "NeedsReauthorization"],
    [respond(401, { error: "invalid_client", error_description: "Wrong", log_id: "7" }), "Unavailable"],
    [respond(400, { error: "invalid_grant" }), "Unavailable"],
    [respond(400, "<h1>Bad request</h1>"), "Unavailable"],
    [respond(500, ""), "Unavailable"]
  ] as const)("A renewal that is answered with %j is %s", ([said, expected]) =>
    Effect.gen(function* () {
      const adapter = adapterOf(tiktokConformance, () => Effect.fromResult(said))
      const { credentials } = tiktokConformance
      assert.strictEqual(yield* outcome(adapter.renew(accountOf(tiktokConformance), credentials)), expected)
    })
  )
})

it("The video of the conformance suite is one chunk", () => {
  assert.deepStrictEqual(lastChunk(video.size), { offset: 0, length: video.size })
})
