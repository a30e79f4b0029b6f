import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Address } from "../../../src/repo/media/Media.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { countingRows, inBulk, insertAccounts, insertPosts } from "../../support/database/manyAccounts.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"

const accounts = 100
const posts = 200

layer(repoLayer, { excludeTestServices: true })("What a page of cards' pictures reads", (it) => {
  it.effect("It is bounded, also where all pages before are counted and 20,000 posts show a picture", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { media } = yield* Repo
      yield* inBulk(insertAccounts(accounts))
      yield* inBulk(insertPosts([1, accounts], posts, "30 days"))
      yield* inBulk(sql`UPDATE posts SET card = jsonb_build_object('thumb', jsonb_build_object(
        'hash', encode(sha256(id::text::bytea), 'hex'), 'size', 1))`)
      const read: Array<number> = []
      for (let after: Address | null = null, isAtEnd = false; !isAtEnd; isAtEnd = after === null) {
        const page: { readonly rows: number; readonly value: Address | null } = yield* countingRows(
          media.countCardPictures(after, 200)
        )
        read.push(page.rows)
        after = page.value
      }
      assert.isAtLeast(read.length, (accounts * posts) / 200)
      assert.isBelow(Math.max(...read), 2000)
      assert.deepStrictEqual(yield* sql`SELECT count(*)::int AS count FROM card_pictures`, [
        { count: accounts * posts }
      ])
    })
  )
})
