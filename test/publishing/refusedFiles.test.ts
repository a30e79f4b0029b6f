import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { duplicateWarning } from "../../src/domain/plain/posts.ts"
import { OutcomeUnknown, type Publication, Rejected } from "../../src/domain/publishing/platformError.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { after, inAnHour, Script, uploadWorld } from "./uploadWorld.ts"

let posts = 0

/** A new post, because two targets can't have the same post. */
const nextFound = (): Publication => {
  const platformPostId = String(++posts)
  return { platformPostId, url: `https://x.com/i/status/${platformPostId}`, recognized: true }
}

type Post = Effect.Success<ReturnType<typeof inAnHour>>

/** Marks a target as after a restore at `until`: it might have been published since the backup. */
const markRestored = Effect.fnUntraced(function* ({ id }: Post, until: DateTime.Utc) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE post_targets SET reconcile_from = ${DateTime.formatIso(until)}::timestamptz - interval '1 day',
    reconcile_until = ${DateTime.formatIso(until)}::timestamptz WHERE post_id = ${id}::uuid`
})

/** Marks a target as after a send with an unknown outcome, and keeps a stored refusal. */
const markSent = Effect.fnUntraced(function* ({ at, id }: Post) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE post_targets SET sent_at = ${DateTime.formatIso(at)}::timestamptz - interval '1 minute'
    WHERE post_id = ${id}::uuid`
})

const targetOf = ({ id, workspace }: Post) =>
  Effect.gen(function* () {
    const { post_targets } = yield* (yield* Repo).posts.get(workspace, id)
    const [target] = post_targets
    return {
      status: target?.status,
      code: target?.error?.code ?? null,
      message: target?.error?.message ?? "",
      url: target?.platform_post_url ?? null
    }
  })

interface Mark {
  /** True if the target is marked after its files were refused, false if before. */
  readonly refused: boolean
  readonly run: (post: Post) => Effect.Effect<void, unknown, SqlClient.SqlClient>
}

/** Publishes a post with refused files when it is due. Returns the number of searches too. */
const atItsTime = Effect.fnUntraced(function* (mark: Mark, searches: Script["Service"]["searches"]) {
  const script = yield* Script
  const post = yield* inAnHour()
  if (!mark.refused) yield* Effect.orDie(mark.run(post))
  script.uploads.push(Effect.fail(new Rejected({ message: "Not this file" })))
  script.searches.push(...searches)
  yield* after("30 minutes")
  assert.strictEqual((yield* targetOf(post)).status, "pending")
  if (mark.refused) yield* Effect.orDie(mark.run(post))
  yield* after("30 minutes")
  const target = yield* targetOf(post)
  const calls = yield* script.calls
  return { post, target, calls, searched: searches.length - script.searches.length }
})

const none: Script["Service"]["searches"][number] = Effect.succeedNone
const unreadable = Effect.fail(new OutcomeUnknown({ message: "The timeline could not be read" }))

layer(uploadWorld)("A post that may be out, and whose files were refused", (it) => {
  const restoredAt = (minutes: number): Mark => ({
    refused: false,
    run: (post) => markRestored(post, DateTime.add(post.at, { minutes }))
  })
  const beforeItsTime = restoredAt(-45)
  const afterItsTime = restoredAt(1)
  const sent: Mark = { refused: true, run: markSent }

  it.effect.each([
    ["restored before its time", beforeItsTime],
    ["restored after its time", afterItsTime],
    ["sent before", sent]
  ] as const)("One that was %s is published where a search finds it", ([, mark]) =>
    Effect.gen(function* () {
      const found = nextFound()
      const { calls, searched, target } = yield* atItsTime(mark, [Effect.succeedSome(found)])
      assert.strictEqual(searched, 1)
      assert.deepStrictEqual(target, { status: "published", code: null, message: "", url: found.url })
      assert.deepStrictEqual(calls, ["upload twitter"])
    })
  )

  it.effect(
    "One that was restored before its time fails as its files were refused, once a search has not found it",
    () =>
      Effect.gen(function* () {
        const { calls, searched, target } = yield* atItsTime(beforeItsTime, [Effect.succeedNone])
        assert.strictEqual(searched, 1)
        assert.deepInclude(target, { status: "failed", code: "rejected", message: "Not this file" })
        assert.deepStrictEqual(calls, ["upload twitter"])
      })
  )

  it.effect.each([
    ["restored after its time", afterItsTime, none, 1],
    ["restored after its time, which can't be searched", afterItsTime, unreadable, 4],
    ["sent before", sent, none, 3]
  ] as const)("One that was %s is left to a person, with the warning of a second post", ([, mark, search, expected]) =>
    Effect.gen(function* () {
      const script = yield* Script
      const { calls, post } = yield* atItsTime(
        mark,
        Array.from({ length: expected }, () => search)
      )
      for (let looks = 0; looks < 5; looks++) yield* after("15 minutes")
      assert.lengthOf(script.searches, 0)
      const { code, message, status } = yield* targetOf(post)
      assert.deepStrictEqual([status, code], ["failed", "outcome_unknown"])
      assert.include(message, duplicateWarning)
      assert.deepStrictEqual([...calls, ...(yield* script.calls)], ["upload twitter"])
    })
  )
})
