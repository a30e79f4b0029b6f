import { assert, layer } from "@effect/vitest"
import { Effect, Result } from "effect"
import { SqlClient } from "effect/sql"
import { Repo } from "../../../src/repo/Repo.ts"
import { deletePosts, lease, makeDuePosts } from "../../support/database/duePosts.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"

layer(repoLayer, { excludeTestServices: true })("targets.beginSend", (it) => {
  it.effect("Of several sends that begin at once each is stored with its own post, and a lost claim fails alone", () =>
    Effect.gen(function* () {
      yield* deletePosts
      const sql = yield* SqlClient.SqlClient
      const { targets } = yield* Repo
      yield* makeDuePosts(40, 1)
      const claims = yield* targets.claim(100, lease)
      assert.strictEqual(claims.length, 40)
      const lost = claims.filter((_, index) => index % 10 === 3)
      yield* Effect.forEach(lost, targets.release)
      const begun = yield* Effect.forEach(
        claims,
        (claim) => Effect.result(targets.beginSend(claim, { text: claim.targetId }, lease)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        begun.flatMap((result, index) => (Result.isFailure(result) ? claims.slice(index, index + 1) : [])),
        lost
      )
      const stored = yield* sql`
        SELECT count(*)::int AS sent, count(*) FILTER (WHERE prepared = jsonb_build_object('text', id))::int AS own,
          count(*) FILTER (WHERE send_token = claim_token AND lease_until > now())::int AS held
        FROM post_targets WHERE sent_at IS NOT NULL`
      assert.deepStrictEqual(stored, [{ sent: 36, own: 36, held: 36 }])
    })
  )

  it.effect("Beginning to send returns the encrypted credentials of the post's own account, and of no other", () =>
    Effect.gen(function* () {
      yield* deletePosts
      const sql = yield* SqlClient.SqlClient
      const { targets } = yield* Repo
      yield* makeDuePosts(2, 1)
      const [own, other] = yield* targets.claim(2, lease)
      if (own === undefined || other === undefined) return assert.fail("Nothing was claimed")
      yield* sql`UPDATE integrations SET credentials = 'secret' WHERE id = ${own.integration.id}::uuid`
      yield* sql`UPDATE integrations SET account_id = 'another' WHERE id = ${other.integration.id}::uuid`
      const sealed = yield* targets.beginSend(own, "text", lease)
      assert.strictEqual(new TextDecoder().decode(sealed), "secret")
      assert.isUndefined(yield* targets.beginSend(other, "text", lease))
      yield* sql`UPDATE integrations SET credentials = NULL, status = 'disconnected' WHERE id = ${own.integration.id}::uuid`
      assert.isUndefined(yield* targets.beginSend(own, "text", lease))
    })
  )

  it.effect("What PostgreSQL can't store fails alone, and the posts that begin beside it are stored", () =>
    Effect.gen(function* () {
      yield* deletePosts
      const sql = yield* SqlClient.SqlClient
      const { targets } = yield* Repo
      yield* makeDuePosts(8, 1)
      const claims = yield* targets.claim(8, lease)
      const begun = yield* Effect.forEach(
        claims,
        (claim, index) =>
          Effect.exit(targets.beginSend(claim, { text: index === 3 ? "did:plc:\u0000evil" : "text" }, lease)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        begun.map((exit) => exit._tag),
        ["Success", "Success", "Success", "Failure", "Success", "Success", "Success", "Success"]
      )
      assert.deepStrictEqual(yield* sql`SELECT count(*)::int AS sent FROM post_targets WHERE sent_at IS NOT NULL`, [
        { sent: 7 }
      ])
    })
  )
})
