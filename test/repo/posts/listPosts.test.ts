import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { PostId, WorkspaceId } from "../../../src/domain/ids.ts"
import type { PostStatus } from "../../../src/domain/posts/post.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"

/** Consecutive ids, so that an off-by-one bound reaches another workspace. */
const workspaces = ["47", "48", "49"].map((end) => WorkspaceId.make(`01a1fc17-dc2e-777d-ad63-5a461a1bba${end}`))
const [, middle = ""] = workspaces

const Stored = Schema.Array(Schema.Struct({ id: PostId, workspaceId: WorkspaceId, status: Schema.String }))

const lists: ReadonlyArray<PostStatus | null> = [null, "draft", "scheduled", "published"]

/** Batch sizes: the first is read on a pool connection, the second on the connection that short reads share. */
const sizes = [1_000_000, 64 * 1024]

layer(repoLayer, { excludeTestServices: true })("posts.list", (it) => {
  it.effect(
    "A page begins after any id, known or not and in capitals or not, and has the posts of its workspace alone",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { posts } = yield* Repo
        yield* sql`INSERT INTO workspaces (id, name, created_at)
        SELECT id, 'A team', now() FROM unnest(${workspaces}::uuid[]) id`
        const rows = yield* sql`
        INSERT INTO posts (id, workspace_id, status, content, scheduled_at, published_at, tags, platform_overrides, platform_settings, created_at)
        SELECT uuidv7(), (${workspaces}::uuid[])[1 + n % 3], status, 'Hello', now(), CASE WHEN status = 'published' THEN now() END,
          '{}', '{}', '{}', now()
        FROM generate_series(0, 23) n CROSS JOIN LATERAL (SELECT (ARRAY['draft', 'scheduled', 'published'])[1 + n / 3 % 3] AS status) s
        RETURNING id, workspace_id AS "workspaceId", status`
        const stored = (yield* Schema.decodeUnknownEffect(Stored)(rows)).toSorted((a, b) => (a.id < b.id ? 1 : -1))
        const between = PostId.make(`${stored[9]?.id.slice(0, -1)}${stored[9]?.id.endsWith("0") ? "1" : "0"}`)
        const ids = [between, "00000000-0000-7000-8000-000000000000", "ffffffff-ffff-7fff-bfff-ffffffffffff"]
        const starts = [null, ...[...ids, ...stored.map(({ id }) => id)].map((id) => PostId.make(id))]
        for (const workspaceId of workspaces) {
          for (const status of lists) {
            const own = stored.filter(
              (post) => post.workspaceId === workspaceId && [null, post.status].includes(status)
            )
            for (const before of starts) {
              const following = own.filter(({ id }) => before === null || id < before).map(({ id }) => id)
              for (const maxBytes of sizes) {
                const page = yield* posts.list(workspaceId, { status, limit: 3, maxBytes, before })
                assert.deepStrictEqual(
                  page.posts.map(({ id }) => id),
                  following.slice(0, 3)
                )
                assert.strictEqual(page.more, following.length > 3)
              }
            }
          }
        }
        const before = PostId.make(stored[5]?.id ?? "")
        const query = { status: null, limit: 3, before }
        const capitals = { ...query, before: PostId.make(before.toUpperCase()) }
        const workspaceId = WorkspaceId.make(middle)
        assert.deepStrictEqual(
          yield* posts.list(workspaceId, { ...capitals, maxBytes: 1_000_000 }),
          yield* posts.list(workspaceId, { ...query, maxBytes: 1_000_000 })
        )
        const small = yield* posts.list(workspaceId, { ...query, maxBytes: 1 })
        assert.lengthOf(small.posts, 1)
        assert.isTrue(small.more)
      })
  )
})
