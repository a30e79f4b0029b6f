import { assert, layer } from "@effect/vitest"
import { DateTime, Deferred, type Duration, Effect, Fiber, Layer, Logger, Queue } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { makeTellOverdueDrafts, overdueDraftsLayer } from "../../src/notifier/overdueDrafts.ts"
import { makeOverdueDrafts } from "../../src/repo/notifications/overdueDrafts.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { deletePosts } from "../support/database/duePosts.ts"
import { makeWorkspace } from "../support/database/fixtures.ts"
import { anotherRepo } from "../support/database/testDatabase.ts"
import { keyHeaders, sendJson, sessionHeaders } from "../support/http/client.ts"
import { ServerUrl } from "../support/http/server.ts"
import { databaseServerLayer, makeKey, makeTeam } from "../support/http/team.ts"

const title = "A draft's time has passed"

const start = Effect.gen(function* () {
  yield* deletePosts
  const url = yield* ServerUrl
  const team = yield* makeTeam
  const sql = yield* SqlClient.SqlClient
  const tell = yield* makeTellOverdueDrafts
  const asPerson = (method: string, path: string, body?: unknown) =>
    sendJson(`${url}/v1/posts${path}`, method, sessionHeaders(team.cookie), body)
  const timeIn = (duration: Duration.Input) =>
    Effect.map(DateTime.now, (now) => DateTime.formatIso(DateTime.addDuration(now, duration)))
  const draft = Effect.fnUntraced(function* (inTime: Duration.Input, content = "Hello") {
    const body = { content, platforms: ["twitter"], schedule_at: yield* timeIn(inTime), status: "draft" }
    const created = yield* asPerson("POST", "", body)
    assert.strictEqual(created.status, 201, JSON.stringify(created.body))
    return String(created.body.id)
  })
  const listAs = (headers: Readonly<Record<string, string>>) =>
    Effect.map(sendJson(`${url}/v1/notifications`, "GET", headers), ({ body }) =>
      body.data.filter((item: { readonly title: string }) => item.title === title)
    )
  /** Whether each of the notifications of drafts is read, newest first, which a key and a member are shown alike. */
  const read = Effect.gen(function* () {
    const ofKey = (yield* listAs(keyHeaders(team.key))).map((item: { readonly read: boolean }) => item.read)
    const ofMember = (yield* listAs(sessionHeaders(team.cookie))).map((item: { readonly read: boolean }) => item.read)
    assert.deepStrictEqual(ofMember, ofKey)
    return ofKey
  })
  return { ...team, url, sql, tell, asPerson, timeIn, draft, listAs, read }
})

layer(Layer.merge(databaseServerLayer(), Logger.layer([])))("A draft whose time has passed", (it) => {
  it.effect("Its people are told once, five minutes later, as it could be scheduled for its time until then", () =>
    Effect.gen(function* () {
      const { draft, key, listAs, tell } = yield* start
      const id = yield* draft("1 hour")
      const { body } = yield* sendJson(`${yield* ServerUrl}/v1/posts/${id}`, "GET", keyHeaders(key))
      yield* TestClock.adjust("65 minutes")
      yield* tell
      assert.deepStrictEqual(yield* listAs(keyHeaders(key)), [])
      yield* TestClock.adjust("1 millis")
      yield* tell
      yield* tell
      const [told, ...others] = yield* listAs(keyHeaders(key))
      assert.deepStrictEqual(others, [])
      assert.deepInclude(told, {
        type: "post.draft_overdue",
        level: "attention",
        read: false,
        message: "“Hello” was not published, as it is still a draft: give it another time, or publish it",
        action_url: `/posts/${id}`,
        metadata: { post_id: id, scheduled_at: body.data.scheduled_at }
      })
    })
  )

  it.effect(
    "A draft that waits for approval is told of as one, once it is, and one without a time or that is scheduled never",
    () =>
      Effect.gen(function* () {
        const { asPerson, key, listAs, tell, timeIn, url, workspaceId } = yield* start
        const agent = yield* makeKey(workspaceId, { requiresApproval: true })
        const body = { content: "Hello", platforms: ["twitter"], schedule_at: yield* timeIn("1 hour") }
        const asked = yield* sendJson(`${url}/v1/posts`, "POST", keyHeaders(agent.key), body)
        yield* asPerson("POST", "", body)
        yield* asPerson("POST", "", { content: "Hello", platforms: ["twitter"] })
        yield* TestClock.adjust("2 hours")
        yield* tell
        const [told, ...others] = yield* listAs(keyHeaders(key))
        assert.deepStrictEqual(others, [])
        assert.strictEqual(told.action_url, `/posts/${asked.body.id}`)
        assert.include(told.message, "still waits for approval: approve it with another time, or reject it")
        yield* asPerson("POST", `/${asked.body.id}/reject`, { revision: 1, reason: "Too late" })
        yield* tell
        assert.lengthOf(yield* listAs(keyHeaders(key)), 1)
      })
  )

  it.effect("Another time makes the notification read, and is told of again once it has passed", () =>
    Effect.gen(function* () {
      const { asPerson, draft, read, tell, timeIn } = yield* start
      const id = yield* draft("1 hour")
      yield* TestClock.adjust("2 hours")
      yield* tell
      assert.deepStrictEqual(yield* read, [false])
      yield* asPerson("PATCH", `/${id}`, { content: "Hello again" })
      assert.deepStrictEqual(yield* read, [false])
      yield* asPerson("PATCH", `/${id}`, { scheduled_at: yield* timeIn("1 hour") })
      yield* tell
      assert.deepStrictEqual(yield* read, [true])
      yield* TestClock.adjust("2 hours")
      yield* tell
      assert.deepStrictEqual(yield* read, [false, true])
    })
  )

  it.effect.each<readonly [string, string, string, object?]>([
    ["published", "POST", "/publish"],
    ["deleted", "DELETE", ""],
    ["left without a time", "PATCH", "", { scheduled_at: null }]
  ])("The notification is read for everybody once the draft is %s", ([, method, path, body]) =>
    Effect.gen(function* () {
      const { asPerson, draft, read, tell } = yield* start
      const id = yield* draft("1 hour")
      yield* TestClock.adjust("2 hours")
      yield* tell
      assert.deepStrictEqual(yield* read, [false])
      assert.isBelow((yield* asPerson(method, `/${id}${path}`, body)).status, 300)
      assert.deepStrictEqual(yield* read, [true])
    })
  )

  it.effect("Who has muted such notifications has read them", () =>
    Effect.gen(function* () {
      const { cookie, draft, key, listAs, tell, url } = yield* start
      yield* draft("1 hour")
      yield* TestClock.adjust("2 hours")
      yield* tell
      const muted = yield* sendJson(`${url}/v1/session/profile`, "PATCH", sessionHeaders(cookie), {
        muted_notifications: ["post.draft_overdue"]
      })
      assert.strictEqual(muted.status, 200, JSON.stringify(muted.body))
      assert.isTrue((yield* listAs(sessionHeaders(cookie)))[0].read)
      assert.isFalse((yield* listAs(keyHeaders(key)))[0].read)
    })
  )

  it.effect("What passed while the service was down is told of for seven days, and older times are not", () =>
    Effect.gen(function* () {
      const { draft, key, listAs, tell } = yield* start
      yield* draft("1 hour")
      yield* TestClock.adjust("1 hour")
      const recent = yield* draft("1 second")
      yield* TestClock.adjust("7 days")
      yield* tell
      assert.deepStrictEqual(
        (yield* listAs(keyHeaders(key))).map((item: { readonly action_url: string }) => item.action_url),
        [`/posts/${recent}`]
      )
    })
  )

  it.effect(
    "Up to three drafts of a workspace are told of one by one, and more by one notification that counts them",
    () =>
      Effect.gen(function* () {
        const { draft, key, sql, tell, url } = yield* start
        const list = Effect.map(sendJson(`${url}/v1/notifications`, "GET", keyHeaders(key)), ({ body }) => body.data)
        for (const content of ["One", "Two", "Three"]) yield* draft("1 hour", content)
        yield* TestClock.adjust("2 hours")
        yield* tell
        assert.lengthOf(yield* list, 3)
        yield* sql`DELETE FROM notifications`
        const first = yield* draft("1 hour", "First")
        for (const content of ["Second", "Third", "Fourth"]) yield* draft("2 hours", content)
        yield* TestClock.adjust("3 hours")
        yield* tell
        const [told, ...others] = yield* list
        assert.deepStrictEqual(others, [])
        assert.deepInclude(told, {
          type: "post.draft_overdue",
          title: "The times of 4 drafts have passed",
          message:
            "None of them was published, as they are still drafts: give them another time, or publish them. The first: “First”",
          action_url: "/posts?status=draft",
          read: false
        })
        assert.deepInclude(told.metadata, { post_id: first, count: 4 })
        yield* sql`UPDATE posts SET scheduled_at = NULL WHERE id = ${first}::uuid`
        assert.isFalse((yield* list)[0].read, "The others still wait.")
      })
  )

  it.effect("Of more drafts than a batch, that two processes look for at once, each is told of once", () =>
    Effect.gen(function* () {
      const { draft, sql, tell, workspaceId } = yield* start
      const id = yield* draft("1 hour")
      yield* sql`INSERT INTO posts (id, workspace_id, status, content, scheduled_at, tags, platform_overrides, platform_settings, created_at)
        SELECT gen_random_uuid(), workspace_id, status, content, scheduled_at, tags, platform_overrides, platform_settings, created_at
        FROM posts, generate_series(1, 2499) WHERE id = ${id}::uuid`
      yield* TestClock.adjust("2 hours")
      const elsewhere = yield* Effect.provideService(makeTellOverdueDrafts, Repo, yield* anotherRepo)
      yield* Effect.all([tell, elsewhere, tell, elsewhere], { concurrency: "unbounded" })
      const [counted] = yield* sql`SELECT sum(coalesce((metadata ->> 'count')::int, 1))::int AS told
        FROM notifications WHERE workspace_id = ${workspaceId}::uuid`
      assert.deepStrictEqual(counted, { told: 2500 })
    })
  )

  it.effect(
    "A batch of drafts that another process has locked is left to that one, without asking again and again",
    () =>
      Effect.gen(function* () {
        const { sql, timeIn, workspaceId } = yield* start
        const soon = yield* timeIn("1 hour")
        yield* sql`INSERT INTO posts (id, workspace_id, status, content, scheduled_at, tags, platform_overrides, platform_settings, created_at)
        SELECT gen_random_uuid(), ${workspaceId}::uuid, 'draft', 'Locked', ${soon}::timestamptz, '{}', '{}', '{}', now()
        FROM generate_series(1, 1200)`
        yield* TestClock.adjust("66 minutes")
        const { overdueDrafts, ...repo } = yield* Repo
        let found = 0
        const counting = {
          ...repo,
          overdueDrafts: {
            ...overdueDrafts,
            find: (...query: Parameters<typeof overdueDrafts.find>) => {
              found += 1
              return overdueDrafts.find(...query)
            }
          }
        }
        const tell = yield* Effect.provideService(makeTellOverdueDrafts, Repo, counting)
        const isLocked = yield* Deferred.make<void>()
        const isDone = yield* Deferred.make<void>()
        const locking = yield* Effect.forkChild(
          sql.withTransaction(
            Effect.andThen(
              sql`SELECT FROM posts WHERE content = 'Locked' FOR UPDATE`,
              Effect.andThen(Deferred.succeed(isLocked, undefined), Deferred.await(isDone))
            )
          )
        )
        yield* Deferred.await(isLocked)
        yield* tell
        assert.strictEqual(found, 1)
        yield* Deferred.succeed(isDone, undefined)
        yield* Fiber.join(locking)
        yield* tell
        assert.strictEqual(found, 3)
        const [rest] = yield* sql`SELECT count(*)::int AS untold FROM posts WHERE overdue_told_at IS NULL`
        assert.deepStrictEqual(rest, { untold: 0 })
      })
  )

  it.effect("A draft of which nobody can be told keeps no other from being told of, and is tried again later", () =>
    Effect.gen(function* () {
      const { draft, key, listAs, sql, tell, workspaceId } = yield* start
      const poisoned = yield* makeWorkspace()
      const id = yield* draft("1 hour")
      yield* sql`INSERT INTO posts (id, workspace_id, status, content, scheduled_at, tags, platform_overrides, platform_settings, created_at)
        SELECT gen_random_uuid(), ${poisoned}::uuid, status, content, scheduled_at - interval '1 second', tags, platform_overrides,
          platform_settings, created_at FROM posts WHERE id = ${id}::uuid`
      yield* sql.unsafe(
        `ALTER TABLE notifications ADD CONSTRAINT poison CHECK (workspace_id <> '${poisoned}') NOT VALID`
      )
      yield* TestClock.adjust("2 hours")
      yield* tell
      assert.lengthOf(yield* listAs(keyHeaders(key)), 1)
      yield* sql`ALTER TABLE notifications DROP CONSTRAINT poison`
      const ofPoisoned = sql`SELECT FROM notifications WHERE workspace_id = ${poisoned}::uuid`
      yield* tell
      assert.lengthOf(yield* ofPoisoned, 0)
      yield* TestClock.adjust("10 minutes")
      yield* tell
      assert.lengthOf(yield* ofPoisoned, 1)
      assert.lengthOf(yield* sql`SELECT FROM notifications WHERE workspace_id = ${workspaceId}::uuid`, 1)
    })
  )

  it.effect("Only a draft that still is overdue is told of, whatever it was when it was found", () =>
    Effect.gen(function* () {
      const { asPerson, draft, sql, timeIn } = yield* start
      const { find, take } = yield* makeOverdueDrafts
      const [kept, moved] = [yield* draft("1 hour", "kept"), yield* draft("1 hour", "moved")]
      yield* TestClock.adjust("2 hours")
      const found = yield* find(10, [])
      assert.sameMembers(found.slice(), [kept, moved])
      yield* asPerson("PATCH", `/${moved}`, { scheduled_at: yield* timeIn("1 hour") })
      assert.deepStrictEqual(
        (yield* take(found)).map(({ content }) => content),
        ["kept"]
      )
      assert.deepStrictEqual(yield* take(found), [])
      assert.lengthOf(yield* sql`SELECT FROM posts WHERE overdue_told_at IS NOT NULL`, 1)
    })
  )

  it.effect("The service looks for such drafts every half a minute, also after it could not", () =>
    Effect.gen(function* () {
      const repo = yield* Repo
      const looks = yield* Queue.unbounded<string>()
      yield* Layer.build(overdueDraftsLayer).pipe(
        Effect.provideService(Repo, {
          ...repo,
          overdueDrafts: {
            ...repo.overdueDrafts,
            find: () => Effect.andThen(Queue.offer(looks, "look"), Effect.die("a wrong row"))
          }
        })
      )
      assert.strictEqual(yield* Queue.take(looks), "look")
      yield* TestClock.adjust("29 seconds")
      assert.strictEqual(yield* Queue.size(looks), 0)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Queue.take(looks), "look")
    })
  )
})
