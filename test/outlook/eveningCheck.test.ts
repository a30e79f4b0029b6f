import { assert, layer } from "@effect/vitest"
import { DateTime, Deferred, Duration, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { makeEveningCheck } from "../../src/outlook/eveningCheck.ts"
import { Outlook } from "../../src/outlook/Outlook.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { makeInterruptedClaim } from "../support/database/interruptedClaim.ts"
import { anotherRepo } from "../support/database/testDatabase.ts"
import { makeEditor } from "../support/database/fixtures.ts"
import { allRows, afternoon, notificationsOf, type Outside, outlookLayer, start, worldLayer } from "./world.ts"

const check = (outside: Partial<Outside> = {}) =>
  Effect.scoped(
    Effect.flatMap(makeEveningCheck, ({ run }) => run).pipe(Effect.provide(Layer.fresh(outlookLayer(outside))))
  )

const gone = "01a1fc17-0000-7000-8000-00000000dead"
const missingFile = [
  { id: gone, type: "image", content_type: "image/png", size: 68, width: 40, height: 30, duration_ms: null, alt: "" }
]
const hash = "f".repeat(64)
const card = {
  url: "https://example.com/",
  title: "A page",
  description: "",
  thumb: { hash, content_type: "image/png", size: 10 }
}

const json = (value: unknown) => JSON.stringify(value)

/** Twelve posts with one fault each, in this order. */
const faults = [
  "text_refused",
  "text_repeated",
  "same_minute",
  "link_broken",
  "mention_unknown",
  "file_missing",
  "card_missing",
  "draft_unscheduled",
  "draft_unapproved",
  "access_ending",
  "account_lost",
  "account_missing"
]

const addFaulty = Effect.gen(function* () {
  const { add, sql, workspaceId } = yield* start
  const long = yield* add("twitter")
  yield* sql`UPDATE posts SET content = ${"long ".repeat(100)} WHERE id = ${long}::uuid`
  const published = yield* add("twitter", { content: "Said before" }, "1 hour")
  yield* sql`UPDATE posts SET status = 'published', published_at = scheduled_at - interval '3 days' WHERE id = ${published}::uuid`
  yield* sql`UPDATE post_targets SET status = 'published', published_at = due_since - interval '3 days', due_at = NULL,
    due_since = NULL WHERE post_id = ${published}::uuid`
  const repeated = yield* add("twitter", { content: "Said  before" })
  yield* add("bluesky", {}, "10 hours")
  const close = yield* add("bluesky", {}, "601 minutes")
  yield* sql`UPDATE posts SET scheduled_at = scheduled_at - interval '30 seconds' WHERE id = ${close}::uuid`
  const link = yield* add("bluesky", { content: "See https://example.com/gone" }, "11 hours")
  const mention = yield* add("bluesky", { content: "With @nobody.example.com" }, "12 hours")
  const file = yield* add("bluesky", {}, "13 hours")
  yield* sql`UPDATE posts SET media = ${json(missingFile)}::jsonb WHERE id = ${file}::uuid`
  const carded = yield* add("bluesky", { content: "Read https://example.com/" }, "14 hours")
  yield* sql`UPDATE posts SET card = ${json(card)}::jsonb WHERE id = ${carded}::uuid`
  const draft = yield* add("bluesky", { status: "draft" }, "15 hours")
  const asked = yield* add("bluesky", { status: "draft" }, "16 hours")
  yield* sql`UPDATE posts SET approval_requested_revision = revision WHERE id = ${asked}::uuid`
  const ending = yield* add("linkedin", {}, "17 hours")
  yield* sql`UPDATE integrations SET access_until = ${DateTime.toDate(DateTime.addDuration(afternoon, "10 hours"))}
    WHERE workspace_id = ${workspaceId}::uuid AND platform = 'linkedin'`
  const lost = yield* add("threads", {}, "18 hours")
  yield* sql`UPDATE integrations SET status = 'needs_reconnect'
    WHERE workspace_id = ${workspaceId}::uuid AND platform = 'threads'`
  const missing = yield* add("facebook", {}, "19 hours")
  yield* sql`UPDATE integrations SET status = 'disconnected', credentials = NULL
    WHERE workspace_id = ${workspaceId}::uuid AND platform = 'facebook'`
  const ids = [long, repeated, close, link, mention, file, carded, draft, asked, ending, lost, missing]
  return { ids, workspaceId }
})

const outside: Partial<Outside> = {
  links: { "https://example.com/gone": { _tag: "Broken", reason: "it answers with the status 404" } },
  mentions: { "nobody.example.com": { _tag: "Unknown" } },
  missingFiles: [hash]
}

layer(worldLayer)("the evening's check", (it) => {
  it.effect(
    "Twelve posts with one fault each are named in one message, each with its step, and nothing is changed",
    () =>
      Effect.gen(function* () {
        const { ids, workspaceId } = yield* addFaulty
        const before = yield* allRows
        yield* TestClock.adjust("119 minutes")
        yield* check(outside)
        assert.deepStrictEqual(yield* notificationsOf(workspaceId), [])
        yield* TestClock.adjust("1 minute")
        yield* check(outside)
        yield* check(outside)
        const [told, ...others] = yield* notificationsOf(workspaceId)
        assert.deepStrictEqual(others, [])
        assert.ok(told?.type === "outlook.checked")
        const { findings, ...counts } = JSON.parse(JSON.stringify(told.metadata))
        assert.sameDeepMembers(
          findings.map(({ code, post_id: id }: { readonly code: string; readonly post_id: string }) => [code, id]),
          faults.map((code, index) => [code, ids[index]])
        )
        assert.deepStrictEqual(counts, {
          until: "1970-01-03T05:00:00.000Z",
          posts: 13,
          fine: 5,
          need_you: 8,
          unchecked: 0
        })
        assert.strictEqual(told.title, "13 posts until tomorrow night: 5 are fine, 8 need you")
        const lines = told.message.split("\n")
        assert.lengthOf(lines, 12)
        for (const line of lines) assert.match(line, /^(Thu|Fri) \d\d:\d\d “.+”: .+\. .+\.$/)
        assert.include(told.message, "Connect the account again")
        assert.include(told.message, "ends on 1970-01-02 at 01:00 UTC, before the post's time")
        assert.deepStrictEqual(yield* allRows, before)
      })
  )

  it.effect("Posts that are fine cause no message, unless the workspace wants to be told every day", () =>
    Effect.gen(function* () {
      const { add, workspaceId } = yield* start
      const { outlooks } = yield* Repo
      for (let index = 0; index < 12; index++) yield* add(index % 2 === 0 ? "twitter" : "bluesky")
      yield* TestClock.adjust("2 hours")
      yield* check()
      assert.deepStrictEqual(yield* notificationsOf(workspaceId), [])
      const editor = yield* makeEditor(workspaceId)
      yield* outlooks.updateSettings(workspaceId, { alwaysNotify: true }, editor)
      yield* TestClock.adjust("24 hours")
      yield* check()
      const [told] = yield* notificationsOf(workspaceId)
      assert.strictEqual(told?.title, "No posts until tomorrow night")
      assert.isTrue(told?.read)
    })
  )

  it.effect("Several processes send one message", () =>
    Effect.gen(function* () {
      const { add, workspaceId } = yield* start
      yield* add("twitter", { status: "draft" })
      yield* TestClock.adjust("2 hours")
      const others = yield* Effect.replicateEffect(anotherRepo, 4)
      yield* Effect.forEach(others, (repo) => Effect.provideService(check(), Repo, repo), { concurrency: "unbounded" })
      assert.lengthOf(yield* notificationsOf(workspaceId), 1)
    })
  )

  it.effect("A process that dies during the check loses nothing: another one sends the message after the lease", () =>
    Effect.gen(function* () {
      const { add, workspaceId } = yield* start
      const { outlooks } = yield* Repo
      yield* add("twitter", { status: "draft" })
      yield* TestClock.adjust("2 hours")
      const lost = yield* outlooks.claim(Duration.minutes(10))
      yield* check()
      assert.deepStrictEqual(yield* notificationsOf(workspaceId), [])
      yield* TestClock.adjust("10 minutes")
      yield* check()
      assert.lengthOf(yield* notificationsOf(workspaceId), 1)
      assert.ok(lost._tag === "Some")
      assert.isFalse(yield* outlooks.settle(lost.value, true))
    })
  )

  it.effect("A process that stops during the check gives it back", () =>
    Effect.gen(function* () {
      const { add, workspaceId } = yield* start
      yield* add("twitter", { status: "draft" })
      yield* TestClock.adjust("2 hours")
      const begun = yield* Deferred.make<void>()
      const hangs = Layer.mock(Outlook, {
        checkAtLeisure: () => Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
      })
      const run = yield* Effect.forkChild(
        Effect.flatMap(makeEveningCheck, (evening) => evening.run).pipe(Effect.provide(hangs))
      )
      const { outlooks } = yield* Repo
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(run)
      const claim = yield* outlooks.claim(Duration.minutes(10))
      assert.strictEqual(claim._tag, "Some")
      if (claim._tag === "Some") yield* outlooks.release(claim.value)
      yield* check()
      assert.lengthOf(yield* notificationsOf(workspaceId), 1)
    })
  )

  it.effect("A process that stops before it knows which check it claimed gives it back", () =>
    Effect.gen(function* () {
      const { add } = yield* start
      yield* add("twitter", { status: "draft" })
      yield* TestClock.adjust("2 hours")
      const repo = yield* Repo
      const { outlooks } = repo
      const { holdResult, interrupt } = yield* makeInterruptedClaim
      const held = Repo.of({ ...repo, outlooks: { ...outlooks, claim: (lease) => holdResult(outlooks.claim(lease)) } })
      const run = yield* Effect.forkChild(
        Effect.flatMap(makeEveningCheck, (evening) => evening.run).pipe(
          Effect.provide(outlookLayer()),
          Effect.provideService(Repo, held)
        )
      )
      yield* interrupt(run)
      assert.strictEqual((yield* outlooks.claim(Duration.minutes(10)))._tag, "Some")
    })
  )

  it.effect("A platform that is away is told as unchecked, and never as fine", () =>
    Effect.gen(function* () {
      const { add, workspaceId } = yield* start
      yield* add("bluesky")
      yield* TestClock.adjust("2 hours")
      yield* check({ accounts: { bluesky: { _tag: "Unchecked", reason: "Bluesky did not answer in time" } } })
      const [told] = yield* notificationsOf(workspaceId)
      assert.strictEqual(told?.title, "1 post until tomorrow night: 1 could not be checked")
      assert.include(told?.message, "Bluesky did not answer in time")
    })
  )

  it.effect("While publishing is held after a restore, no check is made", () =>
    Effect.gen(function* () {
      const { add, sql, workspaceId } = yield* start
      yield* add("twitter", { status: "draft" })
      yield* TestClock.adjust("2 hours")
      yield* sql`INSERT INTO publishing_state (held_since) VALUES (now())`
      yield* check()
      assert.deepStrictEqual(yield* notificationsOf(workspaceId), [])
      yield* sql`DELETE FROM publishing_state`
      yield* check()
      assert.lengthOf(yield* notificationsOf(workspaceId), 1)
    })
  )

  it.effect("A check that is half a day late is left to the next evening", () =>
    Effect.gen(function* () {
      const { add, workspaceId } = yield* start
      const { outlooks } = yield* Repo
      yield* add("twitter", { status: "draft" })
      yield* TestClock.adjust("14 hours")
      yield* TestClock.adjust("1 second")
      yield* check()
      assert.deepStrictEqual(yield* notificationsOf(workspaceId), [])
      const { nextAt } = yield* outlooks.settings(workspaceId)
      assert.strictEqual(nextAt === null ? null : DateTime.formatIso(nextAt), "1970-01-02T17:00:00.000Z")
    })
  )

  it.effect("A queue with another zone moves the check, and never makes two in half a day", () =>
    Effect.gen(function* () {
      const { add, sql, workspaceId } = yield* start
      const { outlooks } = yield* Repo
      const setZone = (zone: string) => sql`
        INSERT INTO queues (workspace_id, time_zone, entries, revision, updated_at)
        VALUES (${workspaceId}::uuid, ${zone}, '[]', 2, now()) ON CONFLICT (workspace_id) DO UPDATE SET time_zone = ${zone}`
      const nextAt = Effect.map(outlooks.settings(workspaceId), (settings) =>
        settings.nextAt === null ? null : DateTime.formatIso(settings.nextAt)
      )
      yield* add("twitter", { status: "draft" }, "30 hours")
      yield* setZone("Europe/Berlin")
      yield* check()
      yield* TestClock.adjust("1 hour")
      yield* check()
      assert.lengthOf(yield* notificationsOf(workspaceId), 1)
      assert.strictEqual(yield* nextAt, "1970-01-02T16:00:00.000Z")
      // Its 17:00 of the same day is six hours later.
      yield* setZone("America/New_York")
      yield* TestClock.adjust("6 hours")
      yield* check()
      assert.lengthOf(yield* notificationsOf(workspaceId), 1)
      assert.strictEqual(yield* nextAt, "1970-01-02T22:00:00.000Z")
    })
  )

  it.effect("A workspace that turns the check off is not told", () =>
    Effect.gen(function* () {
      const { add, workspaceId } = yield* start
      const { outlooks } = yield* Repo
      yield* add("twitter", { status: "draft" })
      yield* outlooks.updateSettings(workspaceId, { hour: null }, yield* makeEditor(workspaceId))
      yield* TestClock.adjust("30 hours")
      yield* check()
      assert.deepStrictEqual(yield* notificationsOf(workspaceId), [])
    })
  )
})
