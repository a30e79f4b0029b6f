import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { Backups } from "../../src/backup/Backups.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { deletePosts, lease, makeDuePosts } from "../support/database/duePosts.ts"
import { makeWorkspace, plan } from "../support/database/fixtures.ts"
import { backupsLayer } from "./backedUpDatabase.ts"

const takenAt = DateTime.makeUnsafe("2026-01-01T00:00:00.000Z")

const claimed = "status = 'publishing', claim_token = gen_random_uuid(), lease_until = now() + interval '1 minute'"
const sent = "prepared = '{}', sent_at = now()"
const failed =
  "status = 'failed', due_at = NULL, due_since = NULL, error_code = 'rejected', error_message = 'No', error_retryable = true"
const published = "status = 'published', due_at = NULL, due_since = NULL, published_at = now()"

/** Makes a due target for each change of its columns. */
const makeTargets = Effect.fn(function* (changes: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  yield* deletePosts
  yield* sql`DELETE FROM publishing_state`
  const posts = yield* makeDuePosts(changes.length, 1)
  for (const [index, change] of changes.entries())
    yield* sql.unsafe(`UPDATE post_targets SET ${change} WHERE id = $1::uuid`, [posts[index]?.targetId])
  return posts.map(({ targetId }) => targetId)
})

const readTargets = Effect.fn(function* (ids: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<
    Readonly<{ status: string; since: string | null; looks: number } & Record<"resend" | "claimed" | "until", boolean>>
  >`
    SELECT status, reconcile_from::text AS since, reconcile_until IS NOT NULL AS until, resend_ordered AS resend, looks,
      claim_token IS NOT NULL OR owner_id IS NOT NULL AS claimed
    FROM unnest(${ids}::uuid[]) WITH ORDINALITY AS wanted(id, place) JOIN post_targets t ON t.id = wanted.id ORDER BY place`
})

layer(backupsLayer, { excludeTestServices: true })("Publishing after a restore", (it) => {
  it.effect("is held, and what was not published remembers since when it may be, whatever its state was", () =>
    Effect.gen(function* () {
      const { markRestored } = yield* Backups
      const ids = yield* makeTargets([
        "attempts = 0",
        "due_at = NULL, due_since = NULL",
        `${claimed}, owner_id = gen_random_uuid()`,
        `${claimed}, ${sent}`,
        `${sent}, looks = 2`,
        `${sent}, looks = 2, resend_ordered = true`,
        failed,
        "reconcile_from = '2025-06-01'",
        published
      ])
      assert.deepStrictEqual(yield* markRestored(takenAt), { takenAt, openTargets: 7 })
      const taken = "2026-01-01 00:00:00+00"
      const marked = { status: "pending", since: taken, until: true, looks: 0, resend: false, claimed: false }
      assert.deepStrictEqual(yield* readTargets(ids), [
        marked,
        marked,
        marked,
        marked,
        { ...marked, looks: 2 },
        // Its send may have been repeated: the order is left to a person, who has it looked for anew.
        marked,
        { ...marked, status: "failed" },
        { ...marked, since: "2025-06-01 00:00:00+00" },
        { status: "published", since: null, until: false, looks: 0, resend: false, claimed: false }
      ])
      const { publishingState, targets } = yield* Repo
      assert.deepStrictEqual(yield* targets.claim(10, lease), [])
      const hold = yield* Effect.flatMap(publishingState.hold, Effect.fromOption)
      assert.deepStrictEqual(hold.takenAt, takenAt)
    })
  )

  it.effect("is told to every workspace once for each hold, which is read as soon as publishing goes on", () =>
    Effect.gen(function* () {
      const { endHold, markRestored } = yield* Backups
      const { notifications } = yield* Repo
      yield* makeTargets([])
      const workspaces = [yield* makeWorkspace([]), yield* makeWorkspace([])]
      const list = Effect.forEach(workspaces, (id) => Effect.map(notifications.page(id, 0, 10), ({ data }) => data))
      const states = Effect.map(list, (pages) => pages.map((page) => page.map(({ read }) => read)))
      yield* markRestored(takenAt)
      yield* markRestored(takenAt)
      assert.deepStrictEqual(yield* states, [[false], [false]])
      const [[told] = []] = yield* list
      assert.deepInclude(told, { type: "publishing.held", level: "attention", title: "Publishing is on hold" })
      yield* endHold
      assert.deepStrictEqual(yield* states, [[true], [true]])
      yield* markRestored(takenAt)
      assert.deepStrictEqual(yield* states, [
        [false, true],
        [false, true]
      ])
      yield* endHold
    })
  )

  it.effect("is held once however often the database was restored, and the earliest backup counts", () =>
    Effect.gen(function* () {
      const { endHold, markRestored, planResume } = yield* Backups
      const [id = ""] = yield* makeTargets(["attempts = 0"])
      yield* markRestored(takenAt)
      const again = yield* markRestored(DateTime.add(takenAt, { days: 1 }))
      assert.deepStrictEqual(again.takenAt, takenAt)
      assert.deepStrictEqual((yield* Effect.flatMap(planResume, Effect.fromOption)).takenAt, takenAt)
      assert.strictEqual((yield* readTargets([id]))[0]?.since, "2026-01-01 00:00:00+00")
      yield* endHold
      yield* markRestored(DateTime.add(takenAt, { days: 2 }))
      const plan = yield* Effect.flatMap(planResume, Effect.fromOption)
      assert.deepStrictEqual(plan.takenAt, DateTime.add(takenAt, { days: 2 }))
    })
  )

  it.effect("is not held for a backup that is said to be taken in the future", () =>
    Effect.gen(function* () {
      const { markRestored, planResume } = yield* Backups
      yield* makeTargets([])
      const error = yield* Effect.flip(markRestored(DateTime.add(yield* DateTime.now, { minutes: 5 })))
      assert.strictEqual(error.message, "The time at which the backup was taken is in the future")
      assert.isTrue(Option.isNone(yield* planResume))
    })
  )

  it.effect("is not held while the service runs on the database", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { markRestored, planResume } = yield* Backups
      yield* makeTargets([])
      yield* sql`INSERT INTO processes (id, started_at, lease_until)
        VALUES (gen_random_uuid(), now(), now() + interval '25 seconds')`
      const error = yield* Effect.flip(markRestored(takenAt))
      assert.match(error.message, /^The service runs on this database; /)
      assert.isTrue(Option.isNone(yield* planResume))
      yield* sql`DELETE FROM processes`
    })
  )

  it.effect("goes on with what the plan says, and resuming again changes nothing", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { endHold, markRestored, planResume } = yield* Backups
      yield* makeTargets(["due_at = now() + interval '10 minutes'", "attempts = 0", failed])
      yield* markRestored(takenAt)
      const { posts, targets } = yield* Repo
      const later = DateTime.add(yield* DateTime.now, { days: 1 })
      const workspaceId = yield* makeWorkspace(["bluesky"])
      yield* posts.create(workspaceId, { ...plan(later, ["bluesky"]), content: "One\n\ntwo" })
      yield* posts.create(workspaceId, plan(yield* DateTime.now, ["bluesky"]))
      const planned = yield* Effect.flatMap(planResume, Effect.fromOption)
      assert.deepStrictEqual(planned.counts, { lookedUp: 2, due: 1, later: 1 })
      assert.lengthOf(planned.first, 4)
      const last = planned.first.at(-1)
      assert.deepStrictEqual([last?.platform, last?.account, last?.text], ["bluesky", "team_bluesky", "One two"])
      yield* endHold
      assert.isTrue(Option.isNone(yield* planResume))
      yield* endHold
      assert.lengthOf(yield* targets.claim(10, lease), 2)
      assert.deepStrictEqual(yield* sql`SELECT held_since FROM publishing_state`, [{ held_since: null }])
    })
  )

  it.effect("can be planned whatever the time of a single target is", () =>
    Effect.gen(function* () {
      const { markRestored, planResume } = yield* Backups
      yield* makeTargets(["due_at = '-infinity'", "due_at = 'infinity'", "attempts = 0"])
      yield* markRestored(takenAt)
      assert.lengthOf((yield* Effect.flatMap(planResume, Effect.fromOption)).first, 3)
    })
  )

  it.effect("goes on without what was scheduled where that is made drafts, which keep their times", () =>
    Effect.gen(function* () {
      const { makeDrafts, markRestored, planResume } = yield* Backups
      yield* makeTargets([])
      const { posts } = yield* Repo
      const workspaceId = yield* makeWorkspace()
      const later = DateTime.add(yield* DateTime.now, { days: 1 })
      const scheduled = yield* posts.create(workspaceId, plan(later, ["twitter", "bluesky"]))
      yield* posts.create(workspaceId, plan(null))
      yield* markRestored(takenAt)
      assert.strictEqual(yield* makeDrafts, 1)
      assert.strictEqual(yield* makeDrafts, 0)
      const draft = yield* posts.get(workspaceId, scheduled.id)
      assert.strictEqual(draft.status, "draft")
      assert.isNotNull(draft.scheduled_at)
      const planned = yield* Effect.flatMap(planResume, Effect.fromOption)
      assert.deepStrictEqual(planned.counts, { lookedUp: 0, due: 0, later: 0 })
    })
  )

  it.effect.each([
    { how: "published on one platform", set: published },
    { how: "half of a thread", set: "part = 2" }
  ])("makes no draft of a scheduled post that is out in part, as a draft would hide that: $how", ({ set }) =>
    Effect.gen(function* () {
      const { makeDrafts, markRestored, planResume } = yield* Backups
      yield* makeTargets([])
      const sql = yield* SqlClient.SqlClient
      const { posts } = yield* Repo
      const workspaceId = yield* makeWorkspace()
      const later = DateTime.add(yield* DateTime.now, { days: 1 })
      const { id } = yield* posts.create(workspaceId, plan(later, ["twitter", "bluesky"]))
      yield* sql`UPDATE post_targets SET ${sql.literal(set)} WHERE post_id = ${id}::uuid AND platform = 'bluesky'`
      const other = yield* posts.create(workspaceId, plan(later))
      yield* markRestored(takenAt)
      const before = yield* posts.get(workspaceId, id)
      assert.strictEqual(yield* makeDrafts, 1)
      assert.strictEqual((yield* posts.get(workspaceId, other.id)).status, "draft")
      assert.deepStrictEqual(yield* posts.get(workspaceId, id), before)
      assert.strictEqual(before.status, "scheduled")
      const planned = yield* Effect.flatMap(planResume, Effect.fromOption)
      assert.deepStrictEqual(planned.counts, { lookedUp: 0, due: 0, later: set === published ? 1 : 2 })
    })
  )

  it.effect("leaves drafts that wait for approval as they are, also where what was scheduled is made drafts", () =>
    Effect.gen(function* () {
      const { endHold, makeDrafts, markRestored } = yield* Backups
      yield* makeTargets([])
      const { posts, targets } = yield* Repo
      const workspaceId = yield* makeWorkspace()
      const due = { ...plan(yield* DateTime.now), status: "draft" } as const
      const { id } = yield* posts.create(workspaceId, due)
      yield* posts.requestApproval(workspaceId, id, {
        content: due.content,
        overrides: due.overrides,
        thread: [],
        revision: 1
      })
      const waiting = yield* posts.get(workspaceId, id)
      assert.strictEqual(waiting.approval?.status, "requested")
      yield* markRestored(takenAt)
      assert.strictEqual(yield* makeDrafts, 0)
      yield* endHold
      assert.deepStrictEqual(yield* posts.get(workspaceId, id), waiting)
      assert.deepStrictEqual(yield* targets.claim(10, lease), [])
    })
  )
})
