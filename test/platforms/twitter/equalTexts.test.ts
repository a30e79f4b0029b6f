import { assert, layer } from "@effect/vitest"
import { DateTime, type Duration, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { PostId, WorkspaceId } from "../../../src/domain/ids.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import type { Fault } from "../../../src/sandbox/state/faults.ts"
import { Sandbox } from "../../../src/sandbox/Sandbox.ts"
import { plan } from "../../support/database/fixtures.ts"
import { publishDue, publishing } from "../publishing.ts"
import { baseUrl, statusFault } from "../world.ts"

const world = publishing(
  Effect.map(Sandbox, (sandbox) => sandbox.platforms(baseUrl)),
  Sandbox.layer()
)

/** A workspace with an account on X. */
const team = Effect.fn(function* (name: string) {
  const { integrations, posts, workspaces } = yield* Repo
  const sandbox = yield* Sandbox
  const { id } = yield* workspaces.create(name)
  const account = yield* sandbox.connect("twitter", name)
  yield* integrations.connect(id, { platform: "twitter", ...account })
  const due = (content: string) =>
    Effect.gen(function* () {
      return (yield* posts.create(id, { ...plan(yield* DateTime.now), content })).id
    })
  return {
    id,
    due,
    fault: (fault: Fault, times = 1) => sandbox.faults.add({ platform: "twitter", fault, times }),
    tweets: Effect.map(sandbox.posts, (all) => all.filter(({ accountId }) => accountId === account.accountId))
  }
})

/** Publishes what is due, then and after the waits. */
const publishAfter = (...waits: ReadonlyArray<Duration.Input>) =>
  Effect.andThen(
    publishDue,
    Effect.forEach(waits, (wait) => Effect.andThen(TestClock.adjust(wait), publishDue))
  )

const target = Effect.fn(function* (workspace: WorkspaceId, post: PostId) {
  const [only] = (yield* (yield* Repo).posts.get(workspace, post)).post_targets
  return only ?? assert.fail("The post has no target")
})

layer(world)("Posts with one text on X", (it) => {
  it.effect("Of two posts with the same text at the same time one is published, and the other says which", () =>
    Effect.gen(function* () {
      const { due, id, tweets } = yield* team("equal")
      const [first, second] = [yield* due("Same"), yield* due("Same")]
      yield* publishAfter("1 minutes")
      const ends = [yield* target(id, first), yield* target(id, second)]
      assert.sameMembers(
        ends.map(({ status }) => status),
        ["published", "failed"]
      )
      const other = ends[0]?.status === "published" ? first : second
      const error = ends.find(({ status }) => status === "failed")?.error
      assert.strictEqual(error?.code, "rejected")
      assert.include(error?.message, other)
      assert.lengthOf(yield* tweets, 1)
    })
  )

  it.effect("A post whose send was lost does not take the tweet of a later post with its text", () =>
    Effect.gen(function* () {
      const { due, fault, id, tweets } = yield* team("lost")
      yield* fault({ kind: "reset", when: "before_commit" })
      const lost = yield* due("Twice")
      yield* publishDue
      const later = yield* due("Twice")
      yield* publishAfter("1 minutes", "2 minutes", "5 minutes")
      assert.strictEqual((yield* target(id, lost)).error?.code, "outcome_unknown")
      assert.strictEqual((yield* target(id, later)).status, "published")
      assert.lengthOf(yield* tweets, 1)
    })
  )

  it.effect("An outage that X answers with 503 delays a post and neither doubles nor fails it", () =>
    Effect.gen(function* () {
      const { due, fault, id, tweets } = yield* team("outage")
      yield* fault(statusFault(503), 2)
      const post = yield* due("After the outage")
      yield* publishAfter("1 minutes", "2 minutes", "5 minutes")
      assert.strictEqual((yield* target(id, post)).error?.code, "unavailable")
      yield* publishAfter("3 minutes", "5 minutes", "10 minutes")
      assert.strictEqual((yield* target(id, post)).status, "published")
      assert.lengthOf(yield* tweets, 1)
    })
  )

  it.effect("A post that X stored although it answered 503 is found", () =>
    Effect.gen(function* () {
      const { due, fault, id, tweets } = yield* team("stored")
      yield* fault(statusFault(503, { when: "after_commit" }))
      const post = yield* due("Stored")
      yield* publishAfter("1 minutes")
      assert.strictEqual((yield* target(id, post)).status, "published")
      assert.lengthOf(yield* tweets, 1)
    })
  )

  it.effect(
    "A lagging timeline after a 503 doubles nothing, because X refuses the text and the post is found later",
    () =>
      Effect.gen(function* () {
        const { due, fault, id, tweets } = yield* team("lagging")
        yield* fault(statusFault(503, { when: "after_commit" }))
        yield* (yield* Sandbox).faults.add({
          platform: "twitter",
          call: "timeline",
          fault: { kind: "lag", ms: 3_600_000 },
          times: 4
        })
        const post = yield* due("Lagging")
        yield* publishAfter("1 minutes", "2 minutes", "5 minutes")
        assert.strictEqual((yield* target(id, post)).error?.code, "outcome_unknown")
        yield* publishAfter("1 minutes")
        assert.strictEqual((yield* target(id, post)).status, "published")
        assert.lengthOf(yield* tweets, 1)
      })
  )

  it.effect("Spent credits delay a post until they are bought", () =>
    Effect.gen(function* () {
      const { due, fault, id } = yield* team("credits")
      yield* fault(statusFault(402))
      const post = yield* due("Worth its price")
      yield* publishAfter("10 minutes")
      assert.strictEqual((yield* target(id, post)).error?.code, "unavailable")
      yield* publishAfter("10 minutes")
      assert.strictEqual((yield* target(id, post)).status, "published")
    })
  )

  it.effect("A post does not take the tweet of a deleted post with its text", () =>
    Effect.gen(function* () {
      const { due, fault, id, tweets } = yield* team("deleted")
      const deleted = yield* due("Kept on X")
      yield* publishDue
      yield* (yield* Repo).posts.remove(id, deleted)
      yield* fault(statusFault(503))
      const later = yield* due("Kept on X")
      yield* publishAfter("1 minutes", "2 minutes", "5 minutes", "16 minutes")
      assert.strictEqual((yield* target(id, later)).error?.code, "outcome_unknown")
      assert.lengthOf(yield* tweets, 1)
    })
  )

  it.effect("A tweet that may be a deleted post's is left to a person", () =>
    Effect.gen(function* () {
      const { due, fault, id, tweets } = yield* team("deleted unresolved")
      yield* fault(statusFault(500, { when: "after_commit" }))
      const deleted = yield* due("Whose?")
      yield* publishDue
      yield* (yield* Repo).posts.remove(id, deleted)
      yield* fault(statusFault(503))
      const later = yield* due("Whose?")
      yield* publishAfter("1 minutes", "2 minutes", "5 minutes", "16 minutes")
      assert.strictEqual((yield* target(id, later)).error?.code, "outcome_unknown")
      assert.lengthOf(yield* tweets, 1)
    })
  )

  it.effect("After a restore a tweet is found, and a post that is not found is left to a person", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { due, id, tweets } = yield* team("restored")
      const before = yield* due("Went out")
      yield* publishDue
      const missing = yield* due("Did not go out")
      // The state of a backup that was taken before both.
      const now = DateTime.formatIso(yield* DateTime.now)
      yield* sql`UPDATE posts SET status = 'scheduled', published_at = NULL WHERE id = ${before}::uuid`
      yield* sql`UPDATE post_targets SET status = 'pending', due_at = ${now}::timestamptz, due_since = ${now}::timestamptz,
        attempts = 0, prepared = NULL, sent_at = NULL, send_token = NULL, platform_post_id = NULL,
        platform_post_url = NULL, published_at = NULL, reconcile_from = ${now}::timestamptz - interval '1 hour',
        reconcile_until = ${now}::timestamptz + interval '1 hour'
        WHERE post_id IN (${before}::uuid, ${missing}::uuid)`
      yield* publishAfter("1 minutes")
      assert.strictEqual((yield* target(id, before)).status, "published")
      assert.strictEqual((yield* target(id, missing)).error?.code, "outcome_unknown")
      assert.lengthOf(yield* tweets, 1)
    })
  )
})
