import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Settlement } from "../../../src/domain/publishing/settlement.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import type { Claim, ClaimSlots } from "../../../src/repo/targets/Targets.ts"
import { lease, makeDuePosts } from "../../support/database/duePosts.ts"
import { countingRows, insertAccounts, insertPosts } from "../../support/database/manyAccounts.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { failed } from "./settlements.ts"
import { planPublish } from "../../support/plans.ts"

/** PostgreSQL keeps the plan of a prepared statement after it has run five times. */
const runs = 8
const stored = 10_000

const publishedAt = (platformPostId: string, recognized: boolean): Settlement => ({
  _tag: "Published",
  publication: { platformPostId, url: null, recognized }
})

/** Statements of publishing and its maintenance, each for its own claim. */
const statements = Effect.gen(function* () {
  const { notifications, posts, targets } = yield* Repo
  const since = DateTime.subtract(yield* DateTime.now, { hours: 1 })
  return {
    beginSend: (claim) => targets.beginSend(claim, { text: "Hello" }, lease),
    "settle as published": (claim) => targets.settle(claim, publishedAt(claim.targetId, true)),
    "settle as failed": (claim) => targets.settle(claim, failed),
    release: (claim) => targets.release(claim),
    publishedByOthers: (claim) => targets.publishedByOthers(claim, ["1", "2", claim.targetId]),
    publishedWithText: (claim) => targets.publishedWithText(claim),
    unresolvedOthers: (claim) => targets.unresolvedOthers(claim, since),
    otherVersions: (claim) => targets.otherVersions(claim),
    "remove, which keeps what a target owns": (claim) =>
      Effect.andThen(
        targets.settle(claim, publishedAt(`0${claim.targetId}`, false)),
        posts.remove(claim.workspaceId, claim.postId)
      ),
    "publish now": (claim) =>
      Effect.andThen(targets.release(claim), posts.publish(claim.workspaceId, claim.postId, planPublish)),
    nextDue: () => targets.nextDue(since),
    backlog: () => targets.backlog,
    forgetDeleted: () => targets.forgetDeleted(since, 10),
    "notifications.page": (claim) => notifications.page(claim.workspaceId, 0, 20),
    "notifications.removeBefore": () => notifications.removeBefore(since, 10)
  } satisfies Record<string, (claim: Claim) => Effect.Effect<unknown, unknown>>
})

/** Stores the rows of 10,000 other accounts. */
const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* insertAccounts(stored, "twitter")
  yield* insertPosts([1, stored], 1, "30 days")
  yield* insertPosts([1, stored], 1, "31 days")
  yield* sql`UPDATE posts SET status = 'published', published_at = now() WHERE scheduled_at > now() + interval '30 days 12 hours'`
  yield* sql`UPDATE post_targets SET status = 'published', published_at = now(), due_at = NULL, due_since = NULL,
      platform_post_id = substr(id::text, 15), prepared = '{}', sent_at = now()
    WHERE due_at > now() + interval '30 days 12 hours'`
  yield* sql`
    INSERT INTO deleted_targets (id, workspace_id, platform, account_id, platform_post_id, texts, sent_until, deleted_at)
    SELECT uuidv7(), workspace_id, platform, account_id, CASE WHEN n % 2 = 0 THEN n::text || 'x' END, '{}',
      CASE WHEN n % 2 = 1 THEN now() END, now()
    FROM (SELECT *, row_number() OVER () AS n FROM integrations) i`
  yield* sql`
    INSERT INTO notifications (id, workspace_id, type, title, message, metadata, created_at)
    SELECT uuidv7(), workspace_id, 'post.published', 'Published', 'A post',
      jsonb_build_object('post_id', uuidv7(), 'platforms', array[platform]), now() FROM integrations`
})

const claims = (count: number, slots?: ClaimSlots) =>
  Effect.gen(function* () {
    const { targets } = yield* Repo
    yield* makeDuePosts(count, 1)
    const claimed = yield* targets.claim(count, lease, slots === undefined ? {} : { slots })
    assert.lengthOf(claimed, count)
    return claimed
  })

/** With so many slots, few due targets are claimed by their own statement. */
const ampleSlots: ClaimSlots = { platforms: { twitter: 100, bluesky: 100 }, perHost: 100, hosts: {} }
const few = 2

layer(repoLayer, { excludeTestServices: true })("What statements of publishing read", (it) => {
  it.effect("It depends on what they are about, although PostgreSQL keeps plans from when the tables were empty", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { targets } = yield* Repo
      const all = Object.entries(yield* statements)
      const measured = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`SET LOCAL statement_timeout = '60s'`
          for (const [, run] of all) {
            for (const claim of yield* claims(runs)) yield* run(claim)
            yield* claims(few, ampleSlots)
          }
          yield* fill
          const rows: Array<readonly [string, number]> = []
          for (const [name, run] of all) {
            for (const claim of yield* claims(1)) rows.push([name, (yield* countingRows(run(claim))).rows])
          }
          rows.push(["claim of a few", (yield* countingRows(claims(few, ampleSlots))).rows])
          yield* insertPosts([1, 2000], 1, "-1 seconds")
          const { rows: ofFairClaim, value } = yield* countingRows(targets.claim(100, lease))
          assert.lengthOf(value, 100)
          // The claim searches 500 targets and claims 100, so its limit is ten times higher.
          rows.push(["claim of 100", ofFairClaim / 10])
          return rows
        })
      )
      assert.deepStrictEqual(
        measured.filter(([, rows]) => rows > 500),
        []
      )
    })
  )
})
