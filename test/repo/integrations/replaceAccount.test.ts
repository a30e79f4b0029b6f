import { assert, layer } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type { WaitingPostsChoice } from "../../../src/domain/accounts/accountChange.ts"
import type { PostId, WorkspaceId } from "../../../src/domain/ids.ts"
import type { LivePlatform } from "../../../src/domain/platform.ts"
import type { Settlement } from "../../../src/domain/publishing/settlement.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { lease } from "../../support/database/duePosts.ts"
import { makeWorkspace, plan } from "../../support/database/fixtures.ts"
import { someLockIsAwaited } from "../../support/database/programs.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { failed, published, retryMuchLater, targetError } from "../targets/settlements.ts"
import { planPublish } from "../../support/plans.ts"

/** Enough posts for more than one batch of each status. */
const manyPosts = 12_000
const insertions = 6

const later = DateTime.makeUnsafe("2100-01-01T00:00:00Z")

const account = (accountId: string, platform: LivePlatform = "twitter") => ({
  platform,
  accountId,
  username: `name_of_${accountId}`,
  displayName: null,
  avatarUrl: null,
  serviceUrl: null,
  credentials: Redacted.make(`credentials of ${accountId}`)
})

const unknown: Settlement = {
  _tag: "Retry",
  at: later,
  error: targetError("outcome_unknown")
}

/** A workspace with the X account `old`, and the tests' actions in it. */
const makeTeam = Effect.gen(function* () {
  const { integrations, posts, targets } = yield* Repo
  const sql = yield* SqlClient.SqlClient
  const { id: workspace } = yield* (yield* Repo).workspaces.create("A team")
  yield* integrations.connect(workspace, account("old"))
  yield* integrations.connect(workspace, account("bluesky", "bluesky"))
  const create = Effect.fnUntraced(function* (
    scheduledAt: DateTime.Utc | null,
    platforms: ReadonlyArray<LivePlatform> = ["twitter"]
  ) {
    return (yield* posts.create(workspace, plan(scheduledAt, platforms))).id
  })
  /** Claims the post's due X target. If `send` is true, begins to send it, so that it might be published. */
  const claim = Effect.fnUntraced(function* (id: PostId, send: boolean) {
    const claims = (yield* targets.claim(32, lease)).filter((one) => one.workspaceId === workspace)
    const own = claims.find(({ platform, postId }) => postId === id && platform === "twitter")
    for (const other of claims) if (other !== own) yield* targets.settle(other, published)
    if (own === undefined) return assert.fail("Nothing was due")
    if (send) yield* targets.beginSend(own, { text: "Hello", userId: "old" }, lease)
    return own
  })
  /** A post whose first attempt on X ended with `settlement`. On Bluesky it is published. */
  const attempted = Effect.fnUntraced(function* (
    settlement: Settlement,
    send: boolean,
    platforms: ReadonlyArray<LivePlatform> = ["twitter"]
  ) {
    const id = yield* create(yield* DateTime.now, platforms)
    yield* targets.settle(yield* claim(id, send), settlement)
    return id
  })
  const replace = (choice: WaitingPostsChoice = "replace", accountId = "new") =>
    integrations.replaceAccount(workspace, account(accountId), { posts: choice })
  /** Each target of a post, as `status account`, after the post's own status. */
  const state = Effect.fnUntraced(function* (id: PostId) {
    const post = yield* posts.get(workspace, id)
    return [post.status, ...post.post_targets.map((target) => `${target.status} ${target.account_id}`)]
  })
  const revision = Effect.fnUntraced(function* (id: PostId) {
    const [row] =
      yield* sql`SELECT revision, approval_requested_revision AS requested FROM posts WHERE id = ${id}::uuid`
    return [row?.["revision"], row?.["requested"]]
  })
  const forgetAccounts = sql`UPDATE post_targets SET account_id = NULL WHERE workspace_id = ${workspace}::uuid`
  return {
    workspace,
    integrations,
    posts,
    targets,
    sql,
    create,
    claim,
    attempted,
    replace,
    state,
    revision,
    forgetAccounts
  }
})

const connectedAccount = Effect.fnUntraced(function* (workspace: WorkspaceId) {
  const accounts = yield* (yield* Repo).integrations.list(workspace)
  return accounts.find(({ platform }) => platform === "twitter")?.username
})

layer(repoLayer, { excludeTestServices: true })("replacing an account", (it) => {
  it.effect("Connecting another account changes nothing, and says whose posts wait and how many", () =>
    Effect.gen(function* () {
      const { attempted, create, integrations, state, workspace } = yield* makeTeam
      const scheduled = yield* create(later)
      const draft = yield* create(null)
      yield* create(null, ["bluesky"])
      const retried = yield* attempted(retryMuchLater, false)
      yield* attempted(failed, false)
      yield* attempted({ _tag: "Failed", error: targetError("outcome_unknown") }, true)
      yield* attempted(published, true)
      const error = yield* Effect.flip(integrations.connect(workspace, account("new")))
      assert.strictEqual(
        error.message,
        "@name_of_new is a different X account from @name_of_old, for which 1 draft, 2 scheduled posts and 1 failed post wait"
      )
      assert.strictEqual(yield* connectedAccount(workspace), "name_of_old")
      assert.deepStrictEqual(yield* state(scheduled), ["scheduled", "pending old"])
      assert.deepStrictEqual(yield* state(draft), ["draft", "pending old"])
      assert.deepStrictEqual(yield* state(retried), ["publishing", "pending old"])
    })
  )

  it.effect("Another account is asked about where no post waits too, and after a disconnect", () =>
    Effect.gen(function* () {
      const { integrations, workspace } = yield* makeTeam
      const before = yield* Effect.flip(integrations.connect(workspace, account("new")))
      assert.include(before.message, "for which no post waits")
      const twitter = (yield* integrations.list(workspace)).find(({ platform }) => platform === "twitter")
      if (twitter === undefined) return assert.fail("X is not connected")
      yield* integrations.disconnect(twitter.id)
      const after = yield* Effect.flip(integrations.connect(workspace, account("new")))
      assert.strictEqual(after._tag, "AnotherAccountConnected")
      assert.lengthOf(yield* integrations.list(workspace), 1)
      assert.strictEqual((yield* integrations.connect(workspace, account("old"))).id, twitter.id)
    })
  )

  it.effect.each(["replace", "drafts"] as const)(
    "With %s, what may have been sent by a process that the database does not know stays with its account, except drafts",
    (choice) =>
      Effect.gen(function* () {
        const { attempted, create, forgetAccounts, integrations, replace, revision, sql, state, workspace } =
          yield* makeTeam
        const draft = yield* create(null)
        const scheduled = yield* create(later)
        const retried = yield* attempted(retryMuchLater, false)
        const rejected = yield* attempted(failed, false)
        yield* sql`UPDATE post_targets SET reconcile_from = now() WHERE workspace_id = ${workspace}::uuid`
        yield* forgetAccounts
        const error = yield* Effect.flip(integrations.connect(workspace, account("new")))
        assert.include(error.message, "for which 1 draft waits")
        yield* replace(choice)
        assert.deepStrictEqual(yield* state(draft), ["draft", "pending new"])
        assert.deepStrictEqual(yield* state(scheduled), ["scheduled", "pending old"])
        assert.deepStrictEqual(yield* state(retried), ["publishing", "pending old"])
        assert.deepStrictEqual(yield* state(rejected), ["failed", "failed old"])
        for (const id of [scheduled, retried, rejected]) assert.deepStrictEqual(yield* revision(id), [1, null])
      })
  )

  it.effect.each(["replace", "drafts"] as const)(
    "With %s, what waits goes out from the next account, as another revision than the one whose approval was requested",
    (choice) =>
      Effect.gen(function* () {
        const { attempted, create, replace, revision, sql, state, workspace } = yield* makeTeam
        const draft = yield* create(null)
        const scheduled = yield* create(later, ["twitter", "bluesky"])
        const rejected = yield* attempted(failed, false)
        const elsewhere = yield* create(later, ["bluesky"])
        yield* sql`UPDATE posts SET approval_requested_revision = 1 WHERE workspace_id = ${workspace}::uuid`
        yield* sql`UPDATE post_targets SET prepared = '{}' WHERE workspace_id = ${workspace}::uuid`
        const { failed: ended, former, integration } = yield* replace(choice)
        assert.deepStrictEqual(ended, [])
        assert.deepStrictEqual([former?.accountId, integration.username], ["old", "name_of_new"])
        assert.strictEqual(former === null ? "" : Redacted.value(former.credentials), "credentials of old")
        assert.strictEqual(yield* connectedAccount(workspace), "name_of_new")
        assert.deepStrictEqual(yield* state(draft), ["draft", "pending new"])
        assert.deepStrictEqual(yield* state(scheduled), [
          choice === "replace" ? "scheduled" : "draft",
          "pending new",
          "pending bluesky"
        ])
        assert.deepStrictEqual(yield* state(rejected), ["failed", "failed new"])
        assert.deepStrictEqual(yield* state(elsewhere), ["scheduled", "pending bluesky"])
        // The draft's approval is requested again at a new revision, so that nobody approves it for the old account.
        assert.deepStrictEqual(yield* revision(draft), [2, 2])
        for (const id of [scheduled, rejected]) assert.deepStrictEqual(yield* revision(id), [2, 1])
        assert.deepStrictEqual(yield* revision(elsewhere), [1, 1])
        const rows = yield* sql`SELECT platform, due_at IS NULL AS unscheduled, prepared IS NULL AS unprepared
          FROM post_targets WHERE post_id = ${scheduled}::uuid ORDER BY position`
        assert.deepStrictEqual(
          rows.map((row) => ({ ...row })),
          [
            { platform: "twitter", unscheduled: choice === "drafts", unprepared: true },
            { platform: "bluesky", unscheduled: choice === "drafts", unprepared: false }
          ]
        )
      })
  )

  it.effect("A scheduled post that becomes a draft keeps its time", () =>
    Effect.gen(function* () {
      const { create, posts, replace, workspace } = yield* makeTeam
      const id = yield* create(later)
      yield* replace("drafts")
      assert.deepStrictEqual((yield* posts.get(workspace, id)).scheduled_at, later)
    })
  )

  it.effect(
    "What was published or may have been stays with its account, and so does what the version before stored",
    () =>
      Effect.gen(function* () {
        const { attempted, create, forgetAccounts, replace, sql, state } = yield* makeTeam
        const doubtful = yield* attempted({ _tag: "Failed", error: targetError("outcome_unknown") }, true)
        const rejected = yield* attempted(failed, false)
        const draft = yield* create(null)
        yield* forgetAccounts
        const live = yield* attempted(published, true)
        yield* replace()
        assert.deepStrictEqual(yield* state(live), ["published", "published old"])
        assert.deepStrictEqual(yield* state(doubtful), ["failed", "failed old"])
        assert.deepStrictEqual(yield* state(rejected), ["failed", "failed new"])
        assert.deepStrictEqual(yield* state(draft), ["draft", "pending new"])
        const [row] = yield* sql`SELECT account_id FROM post_targets WHERE post_id = ${doubtful}::uuid`
        assert.strictEqual(row?.["account_id"], "old")
      })
  )

  it.effect.each([
    ["replace", "publishing", "pending new", []],
    ["drafts", "failed", "failed new", ["needs_reconnect"]]
  ] as const)(
    "With %s, a post that is live elsewhere and waits for another attempt is %s",
    ([choice, status, target, codes]) =>
      Effect.gen(function* () {
        const { attempted, posts, replace, state, workspace } = yield* makeTeam
        const id = yield* attempted(retryMuchLater, false, ["bluesky", "twitter"])
        assert.deepStrictEqual(yield* state(id), ["publishing", "published bluesky", "pending old"])
        const { failed: ended } = yield* replace(choice)
        assert.deepStrictEqual(yield* state(id), [status, "published bluesky", target])
        assert.deepStrictEqual(
          ended.flatMap((post) => post.targets.flatMap(({ error }) => (error === null ? [] : [error.code]))),
          [...codes]
        )
        if (choice === "replace") return
        assert.deepStrictEqual(ended[0]?.postId, id)
        const error = (yield* posts.get(workspace, id)).post_targets[1]?.error
        assert.isTrue(error?.retryable)
        assert.include(error?.message, "Publish it again to send it from @name_of_new")
        yield* posts.publish(workspace, id, planPublish)
        assert.deepStrictEqual(yield* state(id), ["scheduled", "published bluesky", "pending new"])
      })
  )

  const outElsewhere = [
    {
      how: "published",
      set: "status = 'published', published_at = now(), due_at = NULL, due_since = NULL",
      left: "published"
    },
    { how: "half of a thread", set: "part = 2", left: "pending" }
  ]
  it.effect.each(outElsewhere)(
    "A scheduled post that is out elsewhere ($how) is no draft afterwards: its target for the account fails",
    ({ left, set }) =>
      Effect.gen(function* () {
        const { create, posts, replace, sql, state, workspace } = yield* makeTeam
        const id = yield* create(later, ["bluesky", "twitter"])
        yield* sql`UPDATE post_targets SET ${sql.literal(set)} WHERE post_id = ${id}::uuid AND platform = 'bluesky'`
        const { failed: ended } = yield* replace("drafts")
        const isOver = left === "published"
        assert.deepStrictEqual(
          ended.map(({ postId }) => postId),
          isOver ? [id] : []
        )
        assert.deepStrictEqual(yield* state(id), [isOver ? "failed" : "scheduled", `${left} bluesky`, "failed new"])
        assert.strictEqual((yield* posts.get(workspace, id)).post_targets[1]?.error?.code, "needs_reconnect")
        const [other] = yield* sql`SELECT due_at IS NOT NULL AS due FROM post_targets
          WHERE post_id = ${id}::uuid AND platform = 'bluesky'`
        assert.strictEqual(other?.["due"], !isOver)
        if (isOver) {
          yield* posts.publish(workspace, id, planPublish)
          assert.deepStrictEqual(yield* state(id), ["scheduled", "published bluesky", "pending new"])
        }
      })
  )

  it.effect("A post whose other target still waits stays publishing when its target for the account fails", () =>
    Effect.gen(function* () {
      const { create, replace, sql, state, workspace } = yield* makeTeam
      const id = yield* create(later, ["bluesky", "twitter"])
      yield* sql`UPDATE posts SET status = 'publishing' WHERE workspace_id = ${workspace}::uuid`
      assert.deepStrictEqual((yield* replace("drafts")).failed, [])
      assert.deepStrictEqual(yield* state(id), ["publishing", "pending bluesky", "failed new"])
    })
  )

  it.effect.each(["replace", "drafts"] as const)(
    "With %s, the account is not replaced while a post is being sent from it, or its outcome is unknown",
    (choice) =>
      Effect.gen(function* () {
        const { claim, create, integrations, replace, state, targets, workspace } = yield* makeTeam
        const waiting = yield* create(null)
        const id = yield* create(yield* DateTime.now)
        const refused = Effect.gen(function* () {
          const error = yield* Effect.flip(replace(choice))
          assert.strictEqual(error._tag, "OutcomePending")
          assert.include(error.message, "@name_of_old")
          assert.strictEqual(yield* connectedAccount(workspace), "name_of_old")
          assert.deepStrictEqual(yield* state(waiting), ["draft", "pending old"])
        })
        const claimed = yield* claim(id, true)
        yield* refused
        yield* targets.settle(claimed, unknown)
        yield* refused
        const twitter = (yield* integrations.list(workspace)).find(({ platform }) => platform === "twitter")
        if (twitter !== undefined) yield* integrations.disconnect(twitter.id)
        const error = yield* Effect.flip(replace(choice))
        assert.strictEqual(error._tag, "OutcomePending")
        assert.strictEqual(yield* connectedAccount(workspace), undefined)
      })
  )

  it.effect("A claim that another process makes while posts are moved is seen before the account is replaced", () =>
    Effect.gen(function* () {
      const { claim, create, replace, sql, state, workspace } = yield* makeTeam
      const draft = yield* create(null)
      const id = yield* create(yield* DateTime.now)
      // Locks the draft, so that the replacement waits after its first check.
      const locked = yield* sql.reserve
      yield* locked.executeUnprepared("BEGIN", [], undefined)
      yield* locked.executeUnprepared(`SELECT FROM posts WHERE id = '${draft}' FOR UPDATE`, [], undefined)
      const replacing = yield* Effect.forkChild(Effect.flip(replace()))
      yield* someLockIsAwaited
      yield* claim(id, false)
      yield* locked.executeUnprepared("COMMIT", [], undefined)
      assert.strictEqual((yield* Fiber.join(replacing))._tag, "OutcomePending")
      assert.deepStrictEqual(yield* state(draft), ["draft", "pending old"])
      assert.strictEqual(yield* connectedAccount(workspace), "name_of_old")
    }).pipe(Effect.scoped)
  )

  it.effect("A post is created without waiting while others are moved, and is for the next account", () =>
    Effect.gen(function* () {
      const { create, replace, sql, state } = yield* makeTeam
      const first = yield* create(null)
      // Locks a post, so that the replacement waits while it moves posts.
      const locked = yield* sql.reserve
      yield* locked.executeUnprepared("BEGIN", [], undefined)
      yield* locked.executeUnprepared(`SELECT FROM posts WHERE id = '${first}' FOR UPDATE`, [], undefined)
      const replacing = yield* Effect.forkChild(replace())
      yield* someLockIsAwaited
      const created = yield* create(later)
      yield* locked.executeUnprepared("COMMIT", [], undefined)
      yield* Fiber.join(replacing)
      assert.deepStrictEqual(yield* state(created), ["scheduled", "pending new"])
      assert.deepStrictEqual(yield* state(first), ["draft", "pending new"])
    }).pipe(Effect.scoped)
  )

  it.effect("A post that is created at the end of a replacement waits for it, and is for the next account", () =>
    Effect.gen(function* () {
      const { create, replace, state, workspace } = yield* makeTeam
      const { transaction } = yield* Repo
      const replaced = yield* Deferred.make<void>()
      const created = yield* Deferred.make<void>()
      const replacing = yield* Effect.forkChild(
        transaction(
          Effect.andThen(replace(), Effect.andThen(Deferred.succeed(replaced, undefined), Deferred.await(created)))
        )
      )
      yield* Deferred.await(replaced)
      const creating = yield* Effect.forkChild(create(null))
      yield* someLockIsAwaited
      yield* Deferred.succeed(created, undefined)
      yield* Fiber.join(replacing)
      assert.deepStrictEqual(yield* state(yield* Fiber.join(creating)), ["draft", "pending new"])
      assert.strictEqual(yield* connectedAccount(workspace), "name_of_new")
    })
  )

  it.effect(
    "Of two replacements, each for the account that a person saw, one takes effect and the other asks again",
    () =>
      Effect.gen(function* () {
        const { create, integrations, state, workspace } = yield* makeTeam
        const draft = yield* create(null)
        const replace = (accountId: string) =>
          integrations.replaceAccount(workspace, account(accountId), { posts: "replace", replaces: "old" })
        const outcomes = yield* Effect.all([Effect.result(replace("one")), Effect.result(replace("two"))], {
          concurrency: "unbounded"
        })
        const refused = outcomes.flatMap((outcome) => (outcome._tag === "Failure" ? [outcome.failure] : []))
        assert.deepStrictEqual(
          refused.map(({ _tag }) => _tag),
          ["AnotherAccountConnected"]
        )
        const winner = outcomes[0]._tag === "Success" ? "one" : "two"
        assert.deepStrictEqual(yield* state(draft), ["draft", `pending ${winner}`])
        assert.include(refused[0]?.message, `name_of_${winner}, for which 1 draft waits`)
      })
  )

  it.effect("What waits moves completely, however many posts that are", () =>
    Effect.gen(function* () {
      const { create, integrations, replace, sql, workspace } = yield* makeTeam
      const sample = yield* create(null)
      // Without statistics, as before the first autovacuum.
      yield* sql`ALTER TABLE posts SET (autovacuum_enabled = false)`
      yield* sql`ALTER TABLE post_targets SET (autovacuum_enabled = false)`
      const statuses = ["draft", "scheduled", "publishing", "failed"]
      const insertSome = sql`
        WITH numbered AS (
          SELECT gen_random_uuid() AS id, gen_random_uuid() AS target_id,
            (${statuses}::text[])[1 + n % 4] AS status
          FROM generate_series(1, ${manyPosts / insertions}::int) n
        ), posts AS (
          INSERT INTO posts (id, workspace_id, status, content, scheduled_at, tags, platform_overrides, platform_settings, created_at)
          SELECT id, ${workspace}::uuid, status, 'Hello', '2100-01-01T00:00:00Z'::timestamptz, '{}', '{}', '{}', now() FROM numbered
        )
        INSERT INTO post_targets (id, workspace_id, post_id, integration_id, account_id, platform, position, status,
          due_since, due_at, error_code, error_message, error_retryable)
        SELECT n.target_id, t.workspace_id, n.id, t.integration_id, 'old', 'twitter', 1,
          CASE n.status WHEN 'failed' THEN 'failed' ELSE 'pending' END,
          CASE WHEN n.status IN ('scheduled', 'publishing') THEN '2100-01-01T00:00:00Z'::timestamptz END,
          CASE WHEN n.status IN ('scheduled', 'publishing') THEN '2100-01-01T00:00:00Z'::timestamptz END,
          CASE n.status WHEN 'failed' THEN 'rejected' END, CASE n.status WHEN 'failed' THEN 'No' END,
          CASE n.status WHEN 'failed' THEN false END
        FROM numbered n, post_targets t WHERE t.post_id = ${sample}::uuid`
      // On a busy machine, a single statement would exceed the statement timeout.
      yield* Effect.forEach(Array.from({ length: insertions }), () => insertSome)
      const quarter = manyPosts / 4
      const error = yield* Effect.flip(integrations.connect(workspace, account("new")))
      const waiting = { drafts: quarter + 1, scheduled: 2 * quarter, failed: quarter }
      assert.deepStrictEqual(error._tag === "AnotherAccountConnected" ? error.waiting : undefined, waiting)
      const { failed: ended } = yield* replace("drafts")
      assert.lengthOf(ended, quarter)
      const rows = yield* sql`SELECT p.status, t.account_id, p.revision, count(*)::int AS count FROM posts p
        JOIN post_targets t ON t.post_id = p.id WHERE p.workspace_id = ${workspace}::uuid GROUP BY 1, 2, 3 ORDER BY 1`
      assert.deepStrictEqual(
        rows.map((row) => ({ ...row })),
        [
          { status: "draft", account_id: "new", revision: 2, count: 2 * quarter + 1 },
          { status: "failed", account_id: "new", revision: 2, count: 2 * quarter }
        ]
      )
    })
  )

  it.effect("Replacing an account by itself renews its access and moves nothing", () =>
    Effect.gen(function* () {
      const { create, integrations, replace, revision, workspace } = yield* makeTeam
      const draft = yield* create(null)
      const { former, integration } = yield* replace("drafts", "old")
      assert.isNull(former)
      assert.deepStrictEqual(yield* revision(draft), [1, null])
      assert.strictEqual(Redacted.value(yield* integrations.credentials(integration.id)), "credentials of old")
      const other = yield* makeWorkspace([])
      const first = yield* integrations.replaceAccount(other, account("new"), { posts: "drafts" })
      assert.strictEqual(first.integration.username, "name_of_new")
      assert.strictEqual(yield* connectedAccount(workspace), "name_of_old")
    })
  )
})
