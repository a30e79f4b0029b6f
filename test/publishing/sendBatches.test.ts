import { assert, layer } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { DatabaseUnavailable } from "../../src/domain/errors.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { deletePosts, makeDuePosts } from "../support/database/duePosts.ts"
import { Held, refused, taken } from "./heldPlatforms.ts"
import {
  type Service,
  platforms,
  credentials,
  makeDue,
  type Due,
  makeAllDue,
  statusOf,
  withPublisher,
  tick,
  idle,
  idleLater,
  storedTargets,
  stack
} from "./sendBatchWorld.ts"
import { planUpdate } from "../support/plans.ts"

layer(stack)("A batch of sends on PostgreSQL", (it) => {
  it.effect(
    "Each request leaves once its claim and its intent are committed, and both targets of a post count once",
    () =>
      Effect.gen(function* () {
        yield* deletePosts
        const { notifications, posts } = yield* Repo
        const one = yield* makeDue("one", platforms)
        const two = yield* makeDue("two")
        yield* withPublisher(
          () => ({}),
          Effect.gen(function* () {
            const requests = yield* tick(3)
            const begun = { status: "publishing", attempts: 1, sent: true, begun: true }
            assert.deepStrictEqual(yield* storedTargets, [
              { text: "one", ...begun },
              { text: "one", ...begun },
              { text: "two", ...begun }
            ])
            assert.strictEqual((yield* Effect.flip(posts.remove(two.workspace, two.id)))._tag, "InvalidState")
            const change = posts.update(two.workspace, two.id, (stored) =>
              planUpdate(stored, { content: "Other" }, DateTime.makeUnsafe(0))
            )
            assert.strictEqual((yield* Effect.flip(change))._tag, "InvalidState")
            for (const { answer, platform } of requests) answer(taken[platform])
            yield* idle
          })
        )
        assert.deepStrictEqual(
          [yield* statusOf(one), yield* statusOf(two)],
          ["published published published", "published published"]
        )
        assert.strictEqual((yield* notifications.page(one.workspace, 0, 10)).total, 1)
        assert.isEmpty(yield* (yield* Held).others)
      })
  )

  it.effect("What comes instead of a success is settled for its own post alone, by what it means", () =>
    Effect.gen(function* () {
      yield* deletePosts
      const answers = [
        ["taken", taken.twitter, "published published"],
        ["limited", refused(429), "publishing rate_limited"],
        ["broken", refused(500), "publishing outcome_unknown"],
        ["unreadable", taken.bluesky, "publishing outcome_unknown"],
        ["refused", refused(403), "failed rejected"],
        ["double", refused(403, "You are not allowed to create a Tweet with duplicate content."), "failed rejected"]
      ] as const
      const due = yield* makeAllDue(...answers.map(([text]) => text))
      yield* withPublisher(
        () => ({}),
        Effect.gen(function* () {
          for (const { answer, text } of yield* tick(answers.length)) {
            const found = answers.find(([own]) => own === text)
            if (found !== undefined) answer(found[1])
          }
          yield* idle
        })
      )
      assert.deepStrictEqual(
        yield* Effect.forEach(due, statusOf),
        answers.map(([, , status]) => status)
      )
      assert.isEmpty(yield* (yield* Held).others)
    })
  )

  it.effect(
    "A stop stores what was gathered, waits eight seconds for the others, and leaves the rest to be looked for",
    () =>
      Effect.gen(function* () {
        yield* deletePosts
        const { aborted } = yield* Held
        const due = yield* makeAllDue("gathered", "late", "never")
        const isSent = yield* Deferred.make<void>()
        const running = yield* Effect.forkChild(
          withPublisher(
            () => ({}),
            Effect.gen(function* () {
              const requests = yield* tick(3)
              const answer = (own: string) => requests.find(({ text }) => text === own)?.answer(taken.twitter)
              yield* Effect.forkDetach(
                Effect.delay(
                  Effect.sync(() => answer("late")),
                  "7 seconds"
                )
              )
              answer("gathered")
              yield* Deferred.succeed(isSent, undefined)
            })
          )
        )
        yield* Deferred.await(isSent)
        yield* TestClock.adjust("8 seconds")
        yield* Fiber.join(running)
        assert.deepStrictEqual(yield* Effect.forEach(due, statusOf), [
          "published published",
          "published published",
          "publishing outcome_unknown"
        ])
        assert.deepStrictEqual(aborted, ["never"])
      })
  )

  it.effect.each([
    ["a success is stored all the same", taken.twitter, "published published"],
    ["a rate limit is not", refused(429), "publishing publishing"]
  ] as const)("Where another process has taken a claim of the batch over, %s", ([, answer, status]) =>
    Effect.gen(function* () {
      yield* deletePosts
      const sql = yield* SqlClient.SqlClient
      const [own, other] = yield* makeAllDue("own", "other")
      if (own === undefined || other === undefined) return assert.fail()
      yield* withPublisher(
        () => ({}),
        Effect.gen(function* () {
          const requests = yield* tick(2)
          yield* sql`UPDATE post_targets SET claim_token = gen_random_uuid() WHERE post_id = ${own.id}::uuid`
          for (const request of requests) request.answer(request.text === "own" ? answer : taken.twitter)
          yield* idle
        })
      )
      assert.deepStrictEqual([yield* statusOf(own), yield* statusOf(other)], [status, "published published"])
    })
  )

  it.effect.each([
    [
      "is disconnected",
      (
        { integrations }: Service,
        workspace: Due["workspace"]
      ): Effect.Effect<void, DatabaseUnavailable, SqlClient.SqlClient> =>
        Effect.flatMap(integrations.list(workspace), (all) =>
          Effect.forEach(all, ({ id }) => Effect.orDie(integrations.disconnect(id, workspace)), { discard: true })
        )
    ],
    [
      "is another one",
      (_: Service, workspace: Due["workspace"]): Effect.Effect<void, DatabaseUnavailable, SqlClient.SqlClient> =>
        Effect.flatMap(SqlClient.SqlClient, (sql) =>
          Effect.orDie(
            Effect.asVoid(sql`UPDATE integrations SET account_id = 'another' WHERE workspace_id = ${workspace}::uuid`)
          )
        )
    ]
  ] as const)(
    "Nothing is sent from an account that %s once its post was claimed, and the others go out",
    ([, change]) =>
      Effect.gen(function* () {
        yield* deletePosts
        const sql = yield* SqlClient.SqlClient
        const [own, other] = yield* makeAllDue("own", "other")
        if (own === undefined || other === undefined) return assert.fail()
        yield* withPublisher(
          (repo) => ({
            targets: {
              ...repo.targets,
              beginSends: (sends, lease) =>
                Effect.andThen(
                  Effect.provideService(change(repo, own.workspace), SqlClient.SqlClient, sql),
                  repo.targets.beginSends(sends, lease)
                )
            }
          }),
          Effect.gen(function* () {
            const [request] = yield* tick(1)
            assert.strictEqual(request?.text, "other")
            request?.answer(taken.twitter)
            yield* idleLater
          })
        )
        const held = yield* Held
        assert.deepStrictEqual([yield* held.waiting, yield* held.others], [0, []])
        assert.strictEqual(yield* statusOf(other), "published published")
        assert.notInclude(yield* statusOf(own), "published")
      })
  )

  it.effect(
    "No more than 256 requests to X are under way, one of each account, and those to Bluesky go out beside them",
    () =>
      Effect.gen(function* () {
        yield* deletePosts
        const sql = yield* SqlClient.SqlClient
        yield* makeDuePosts(16 + 258, 2)
        yield* sql`UPDATE post_targets SET due_at = 'epoch', due_since = 'epoch'`
        yield* withPublisher(
          ({ integrations }) => ({
            integrations: {
              ...integrations,
              openCredentials: (id, sealed) =>
                sealed.length === 1 ? Effect.succeed(credentials.twitter) : integrations.openCredentials(id, sealed)
            }
          }),
          Effect.gen(function* () {
            // Until X has answered a process, it sends few requests at once.
            for (const { answer, platform } of yield* tick(16)) answer(taken[platform])
            yield* idle
            const requests = yield* tick(256)
            yield* makeDue("beside", ["bluesky"])
            const [beside] = yield* tick(1)
            if (beside?.platform !== "bluesky") return assert.fail("A post on Bluesky waits for X")
            assert.deepStrictEqual(
              yield* sql`SELECT count(*)::int AS posts, count(DISTINCT integration_id)::int AS accounts
                FROM post_targets WHERE status = 'publishing' AND platform = 'twitter'`,
              [{ posts: 256, accounts: 256 }]
            )
            for (const { answer, platform } of [...requests, beside]) answer(taken[platform])
            yield* idle
          })
        )
      })
  )
})
