import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { WorkspaceId } from "../../../src/domain/ids.ts"
import { searchPattern } from "../../../src/domain/plain/textSearch.ts"
import { noFilters } from "../../../src/domain/posts/postList.ts"
import type { ScanPosition } from "../../../src/repo/posts/Posts.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { makeWorkspace, plan } from "../../support/database/fixtures.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { searchCases, spellingsOf } from "../../support/textSearch.ts"

const readContent = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({ content: Schema.String })))

/** The posts that should be found also have the tag `autumn`. */
const wordCases = [
  { text: "release notes", found: ["Notes of the Release"], missed: ["release", "notes"] },
  { text: '"release notes" of', found: ["Of our release notes"], missed: ["notes of the release"] },
  { text: "autumn sale", found: ["Our sale"], missed: ["a sale", "autumn"] },
  { text: "日本 東京", found: ["東京と日本"], missed: ["日本", "東京"] },
  { text: "猫", found: ["黒猫"], missed: ["犬"] },
  { text: "x", found: ["X marks it"], missed: ["no such letter"] },
  { text: "a b c d e f g h i", found: ["h i abcdefg"], missed: ["abcdefghi", "h i abcdef"] }
]

/** Scans for a text, the newest posts first. */
const scanFor = Effect.fnUntraced(function* (
  workspaceId: WorkspaceId,
  text: string,
  { after = null, maxTried = 4_000 }: { readonly after?: ScanPosition | null; readonly maxTried?: number } = {}
) {
  const { posts } = yield* Repo
  return yield* posts.scan(workspaceId, {
    filters: { ...noFilters, text },
    sort: "created_at",
    order: "desc",
    limit: 10,
    maxBytes: 1e6,
    after,
    maxTried
  })
})

const Missed = Schema.Array(Schema.Struct({ content: Schema.String, pattern: Schema.String }))

/** Cyrillic, Greek and most composed letters have codes below this code. */
const lastCode = 0x2fff

layer(repoLayer)("the text of posts.scan", (it) => {
  it.effect.each(searchCases)("A search for $text finds $found and not $missed", ({ found, missed, text }) =>
    Effect.gen(function* () {
      const { posts } = yield* Repo
      const workspaceId = yield* makeWorkspace()
      const ids = new Array<string>()
      for (const content of [...missed, ...found]) {
        const { id } = yield* posts.create(workspaceId, { ...plan(null), content })
        if (found.includes(content)) ids.unshift(id)
      }
      const scanned = yield* scanFor(workspaceId, text, { maxTried: 100 })
      assert.deepStrictEqual(
        scanned.posts.map(({ id }) => id),
        ids
      )
    })
  )

  it.effect.each(wordCases)("The words of $text find $found and not $missed", ({ found, missed, text }) =>
    Effect.gen(function* () {
      const { posts } = yield* Repo
      const workspaceId = yield* makeWorkspace()
      for (const content of missed) yield* posts.create(workspaceId, { ...plan(null), content })
      const contents = new Array<string>()
      for (const content of found) {
        yield* posts.create(workspaceId, { ...plan(null), content, tags: ["autumn"] })
        contents.unshift(content)
      }
      const scanned = yield* scanFor(workspaceId, text, { maxTried: 100 })
      assert.deepStrictEqual(
        scanned.posts.map(({ json }) => readContent(json).content),
        contents
      )
    })
  )

  it.effect("A scan for several words tries fewer bytes at once, so that it takes no longer than one for one", () =>
    Effect.gen(function* () {
      const { posts } = yield* Repo
      const workspaceId = yield* makeWorkspace()
      const content = "long ".repeat(11_000)
      yield* Effect.replicateEffect(posts.create(workspaceId, { ...plan(null), content }), 60)
      const { stoppedAt } = yield* scanFor(workspaceId, "long needle")
      assert.strictEqual(stoppedAt?.tried, 37)
    })
  )

  it.effect("A scan ends after some megabytes of text, and goes on where it stopped, until all posts were tried", () =>
    Effect.gen(function* () {
      const { posts } = yield* Repo
      const workspaceId = yield* makeWorkspace()
      const content = "long ".repeat(11_000)
      const first = yield* posts.create(workspaceId, { ...plan(null), content: `needle ${content}` })
      yield* Effect.replicateEffect(posts.create(workspaceId, { ...plan(null), content }), 149)
      const scan = (after: ScanPosition | null) => scanFor(workspaceId, "needle", { after })
      const tried: Array<number> = []
      let scanned = yield* scan(null)
      while (scanned.stoppedAt !== undefined) {
        assert.isEmpty(scanned.posts)
        tried.push(scanned.stoppedAt.tried)
        scanned = yield* scan(scanned.stoppedAt)
      }
      assert.deepStrictEqual(tried, [73, 73])
      assert.deepStrictEqual(
        scanned.posts.map(({ id }) => id),
        [first.id]
      )
      assert.isFalse(scanned.more)
    })
  )

  it.effect("A scan ends after some megabytes of text that the database has compressed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { posts } = yield* Repo
      const workspaceId = yield* makeWorkspace()
      yield* Effect.replicateEffect(posts.create(workspaceId, plan(null)), 150)
      yield* sql`
        UPDATE posts SET thread = jsonb_build_array(jsonb_build_object('content',
          (SELECT string_agg(md5(n::text), '') FROM generate_series(1, 80) n) || repeat('long ', 10000)))
        WHERE workspace_id = ${workspaceId}::uuid`
      const [{ bytes } = assert.fail()] = yield* sql<{ readonly bytes: number }>`
        SELECT pg_column_size(thread) AS bytes FROM posts WHERE workspace_id = ${workspaceId}::uuid`
      assert.isBelow(bytes, 5_000)
      const { stoppedAt } = yield* scanFor(workspaceId, "needle")
      assert.isBelow(stoppedAt?.tried ?? Infinity, 120)
    })
  )

  it.effect("PostgreSQL finds each character by each of its spellings, as JavaScript does", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const pairs = Array.from({ length: lastCode }, (_, code) => spellingsOf(code))
        .flatMap((spellings) =>
          spellings.flatMap((text) => spellings.map((content) => ({ content, pattern: searchPattern(text) })))
        )
        .filter(({ content }) => !content.includes("\0"))
      assert.isAbove(pairs.length, 5_000)
      const missed = yield* sql`
        SELECT content, pattern FROM jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb) AS pair(content text, pattern text)
        WHERE NOT content COLLATE "C" ~ pattern`
      assert.deepStrictEqual(yield* Schema.decodeUnknownEffect(Missed)(missed), [])
    })
  )
})
