import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import type { Settlement } from "../../../src/domain/publishing/settlement.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import type { AddressLook, Claim, Targets } from "../../../src/repo/targets/Targets.ts"
import { deletePosts, lease, makeDuePosts } from "../../support/database/duePosts.ts"
import { waitingOrEnded } from "../../support/database/interleave.ts"
import { countingRows, inBulk, insertAccounts, insertPosts } from "../../support/database/manyAccounts.ts"
import { together } from "../../support/database/programs.ts"
import { anotherRepo, repoLayer } from "../../support/database/testDatabase.ts"

const unaddressed: Settlement = {
  _tag: "Published",
  publication: { platformPostId: null, url: null, addressFollows: true }
}
const addressed = (id: string) => ({ platformPostId: id, url: `https://platform.test/${id}` })

/** The only due post, with a begun send. */
const sendOne = Effect.gen(function* () {
  yield* deletePosts
  yield* makeDuePosts(1, 1)
  const { targets } = yield* Repo
  const [claim] = yield* targets.claim(1, lease)
  if (claim === undefined) return yield* Effect.die("Nothing was due")
  yield* targets.beginSend(claim, { text: claim.text }, lease)
  return claim
})

/** A published post without an address. The look for its address is due. */
const lookForOne = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { targets } = yield* Repo
  yield* targets.settle(yield* sendOne, unaddressed)
  yield* sql`UPDATE address_looks SET due_at = now() - interval '1 second'`
  const [look] = yield* targets.dueAddresses(1)
  return look ?? (yield* Effect.die("No look was due"))
})

const isLooked = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(sql`SELECT FROM address_looks`, (looks) => looks.length > 0)
)

layer(repoLayer, { excludeTestServices: true })("Addresses of published posts", (it) => {
  it.effect.each([
    {
      act: "orders",
      begin: Effect.map(sendOne, (claim): readonly [Claim, (targets: Targets) => Effect.Effect<unknown, unknown>] => [
        claim,
        (targets) => targets.settle(claim, unaddressed)
      ]),
      looksAfter: true
    },
    {
      act: "stores",
      begin: Effect.map(
        lookForOne,
        (look): readonly [AddressLook, (targets: Targets) => Effect.Effect<unknown, unknown>] => [
          look,
          (targets) => targets.storeAddress(look, addressed("11"))
        ]
      ),
      looksAfter: false
    }
  ])(
    "A process that $act one waits for another's lock of the post before it locks the target",
    ({ begin, looksAfter }) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [{ postId, targetId }, write] = yield* begin
        const { targets } = yield* anotherRepo
        const holder = yield* sql.reserve
        const run = (statement: string) => holder.executeUnprepared(statement, [], undefined)
        yield* run("BEGIN")
        yield* Effect.addFinalizer(() => Effect.ignore(run("ROLLBACK")))
        yield* run(`SELECT FROM posts WHERE id = '${postId}' FOR UPDATE`)
        const writing = yield* Effect.forkChild(Effect.exit(write(targets)))
        yield* waitingOrEnded(writing, 1)
        // A deletion or a late settlement locks the post and then the target. If `write` had locked the target first,
        // PostgreSQL would report a deadlock.
        yield* run(`SELECT FROM post_targets WHERE id = '${targetId}' FOR UPDATE NOWAIT`)
        assert.isUndefined(writing.pollUnsafe())
        yield* run("COMMIT")
        assert.isTrue(Exit.isSuccess(yield* Fiber.join(writing)))
        assert.strictEqual(yield* isLooked, looksAfter)
      }).pipe(Effect.scoped)
  )

  it.effect("A post that is deleted while its address is stored leaves nothing to look for", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { posts, targets } = yield* Repo
      const look = yield* lookForOne
      const outcomes = yield* together([
        Effect.asVoid(posts.remove(look.workspaceId, look.postId)),
        targets.storeAddress(look, addressed("12"))
      ])
      assert.isTrue(outcomes.every(Exit.isSuccess))
      assert.deepStrictEqual(yield* sql`SELECT FROM posts`, [])
      assert.isFalse(yield* isLooked)
    })
  )

  it.effect(
    "Storing one reads a few rows among 10,000 published posts, also by a plan that was made for any values",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const look = yield* lookForOne
        const { targets } = yield* Repo
        yield* inBulk(insertAccounts(100, "twitter"))
        yield* inBulk(insertPosts([1, 101], 100, "-1 day", 1))
        yield* inBulk(
          sql`UPDATE post_targets SET status = 'published', due_at = NULL, due_since = NULL, published_at = now(),
          account_id = ${look.accountId}, platform_post_id = id::text WHERE id <> ${look.targetId}::uuid`
        )
        yield* sql`ANALYZE post_targets`
        const store = targets.storeAddress(look, addressed("13"))
        const generic = sql`SET LOCAL plan_cache_mode = force_generic_plan`
        const { rows } = yield* countingRows(Effect.andThen(generic, store))
        assert.isBelow(rows, 100)
      })
  )
})
