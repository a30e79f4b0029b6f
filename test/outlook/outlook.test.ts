import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { WorkspaceId } from "../../src/domain/ids.ts"
import { creditsSpent } from "../../src/domain/publishing/creditsSpent.ts"
import { Outlook } from "../../src/outlook/Outlook.ts"
import { makeWorkspace } from "../support/database/fixtures.ts"
import { type Outside, outlookLayer, start, worldLayer } from "./world.ts"

const check = (workspaceId: WorkspaceId, outside: Partial<Outside> = {}) =>
  Effect.flatMap(Outlook, (outlook) => outlook.check(workspaceId, 36)).pipe(
    Effect.provide(Layer.fresh(outlookLayer(outside)))
  )

layer(worldLayer)("the outlook of a workspace", (it) => {
  it.effect(
    "A platform without credits needs somebody, with the cost of what is due, until a post goes out there",
    () =>
      Effect.gen(function* () {
        const { add, sql, workspaceId } = yield* start
        const failed = yield* add("twitter", {}, "-1 hours")
        yield* sql`UPDATE posts SET status = 'failed' WHERE id = ${failed}::uuid`
        yield* sql`UPDATE post_targets SET status = 'failed', due_at = NULL, due_since = NULL, error_code = 'gave_up',
        error_message = ${`The X application ${creditsSpent}, so its operator has to act`}, error_retryable = true
        WHERE post_id = ${failed}::uuid`
        yield* add("twitter")
        yield* add("bluesky")
        const { costEstimate, posts } = yield* check(workspaceId)
        assert.deepStrictEqual(costEstimate, { usd: 0.015, note: "1 post by list prices, without files" })
        assert.deepStrictEqual(
          posts.map(({ findings }) => findings.map(({ code }) => code)),
          [["spending_reached"], []]
        )
        assert.include(posts[0]?.findings[0]?.message, "likely to cost $0.015")
        const sent = yield* add("twitter", {}, "-30 minutes")
        yield* sql`UPDATE posts SET status = 'published', published_at = scheduled_at WHERE id = ${sent}::uuid`
        yield* sql`UPDATE post_targets SET status = 'published', published_at = due_since, due_at = NULL, due_since = NULL
        WHERE post_id = ${sent}::uuid`
        assert.deepStrictEqual((yield* check(workspaceId)).counts, { posts: 2, fine: 2, need_you: 0, unchecked: 0 })
      })
  )

  it.effect("While publishing is held after a restore, nothing is asked, and no post is said to be fine", () =>
    Effect.gen(function* () {
      const { add, sql, workspaceId } = yield* start
      yield* add("bluesky", { content: "See https://example.com/gone" })
      yield* sql`INSERT INTO publishing_state (held_since) VALUES (now())`
      const held = yield* check(workspaceId, {
        accounts: { bluesky: { _tag: "Refused", reason: "It must not be asked" } },
        links: { "https://example.com/gone": { _tag: "Broken", reason: "it must not be asked" } }
      })
      yield* sql`DELETE FROM publishing_state`
      assert.isTrue(held.isHeld)
      assert.deepStrictEqual(
        held.posts.map(({ findings, state }) => [state, findings.map(({ code }) => code)]),
        [["unchecked", ["publishing_held"]]]
      )
    })
  )

  it.effect("A workspace whose checks take long leaves places for another one", () =>
    Effect.gen(function* () {
      const { add, workspaceId } = yield* start
      yield* add("bluesky")
      const other = yield* makeWorkspace([])
      const checks = Effect.gen(function* () {
        const outlook = yield* Outlook
        yield* Effect.forEach(Array.from({ length: 8 }), () => Effect.forkScoped(outlook.check(workspaceId, 36)))
        return yield* outlook.check(other, 36)
      })
      const { counts } = yield* checks.pipe(
        Effect.scoped,
        Effect.provide(Layer.fresh(outlookLayer({ hangsFor: workspaceId })))
      )
      assert.deepInclude(counts, { posts: 0 })
    })
  )

  it.effect("An account that was replaced is the one that is checked", () =>
    Effect.gen(function* () {
      const { add, sql, workspaceId } = yield* start
      yield* add("bluesky")
      const refused = { accounts: { bluesky: { _tag: "Refused", reason: "the app password was revoked" } as const } }
      assert.deepInclude((yield* check(workspaceId, refused)).counts, { need_you: 1 })
      yield* sql`UPDATE integrations SET account_id = 'another', username = 'another.example'
        WHERE workspace_id = ${workspaceId}::uuid AND platform = 'bluesky'`
      const { posts } = yield* check(workspaceId, refused)
      assert.include(posts[0]?.findings[0]?.message, "@another.example")
    })
  )

  it.effect("A post that this version can't read needs somebody, and keeps no other from being checked", () =>
    Effect.gen(function* () {
      const { add, sql, workspaceId } = yield* start
      const bad = yield* add("bluesky")
      yield* add("bluesky")
      yield* sql`UPDATE posts SET media = '[{"id": 1}]' WHERE id = ${bad}::uuid`
      const { posts } = yield* check(workspaceId)
      assert.deepStrictEqual(
        posts.map(({ findings, state }) => [state, findings.map(({ code }) => code)]),
        [
          ["needs_you", ["post_unreadable"]],
          ["fine", []]
        ]
      )
    })
  )
})
