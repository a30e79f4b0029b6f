import { assert, layer } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { SqlClient } from "effect/sql"
import { CurrentCaller } from "../../src/api/Authentication.ts"
import { ApiKeyId } from "../../src/domain/ids.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { repoLayer } from "../support/database/testDatabase.ts"
import { makeWorkspace, plan } from "../support/database/fixtures.ts"

const statements = [
  "SELECT content FROM posts WHERE id = $1::uuid",
  "SELECT status FROM post_targets WHERE post_id = $1::uuid",
  "UPDATE posts SET content = 'Taken over' WHERE id = $1::uuid",
  "DELETE FROM posts WHERE id = $1::uuid",
  "SELECT count(*) FROM posts WHERE status = 'draft' AND id >= $1::uuid"
]

layer(repoLayer)("tenantConnectionsLayer", (it) => {
  it.effect.each(statements)("A statement that forgets the caller's workspace fails: %s", (statement) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { posts } = yield* Repo
      const workspaceId = yield* makeWorkspace()
      const { id: own } = yield* posts.create(workspaceId, plan(null))
      const { id: foreign } = yield* posts.create(yield* makeWorkspace(), plan(null))
      const keyId = ApiKeyId.make("01a1fc17-dc2e-777d-ad63-5a461a1bba47")
      const holder = { keyId, workspaceId, scopes: [], requiresApproval: false, predecessors: [] }
      const run = (post: string, condition: string) =>
        sql
          .unsafe(`${statement} AND ${condition}`, [post, workspaceId])
          .pipe(Effect.provideService(CurrentCaller, { _tag: "Key", holder }), Effect.exit)
      const failure = (exit: Exit.Exit<unknown, unknown>) => (Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "none")

      const forgotten = "$2::uuid IS NOT NULL"
      assert.include(failure(yield* run(foreign, forgotten)), "reach")
      assert.include(failure(yield* run(own, forgotten)), "would reach a caller's rows")
      for (const post of [own, foreign]) {
        assert.strictEqual(failure(yield* run(post, "workspace_id = $2::uuid")), "none")
      }
    })
  )
})
