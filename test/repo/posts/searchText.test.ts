import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { searchPattern } from "../../../src/domain/plain/textSearch.ts"
import { noFilters } from "../../../src/domain/posts/postList.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { makeWorkspace, plan } from "../../support/database/fixtures.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { searchCases, spellingsOf } from "../../support/textSearch.ts"

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
      const scanned = yield* posts.scan(workspaceId, {
        filters: { ...noFilters, text },
        sort: "created_at",
        order: "desc",
        limit: 10,
        maxBytes: 1e6,
        after: null,
        maxTried: 100
      })
      assert.deepStrictEqual(
        scanned.posts.map(({ id }) => id),
        ids
      )
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
