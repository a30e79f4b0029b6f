import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Json } from "effect/Schema"
import { SqlClient } from "effect/sql"
import { readStored, storeFailure, storeUploads } from "../../../src/domain/publishing/storedUploads.ts"
import { hasUploads } from "../../../src/repo/posts/postMedia.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"

const shapes: ReadonlyArray<Json | null> = [
  null,
  {},
  "Hello",
  storeUploads({ media: [] }),
  storeFailure({ code: "rejected", message: "No", retryable: false }),
  { uploads: [] },
  { text: "Hello", uploads: [] },
  { _tag: "TwitterPost", text: "Hello", uploads: [] }
]

layer(repoLayer)("what was uploaded for a target", (it) => {
  it.effect("Statements tell it from what was prepared as the code does", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const stored of shapes) {
        const [row] = yield* sql`SELECT ${hasUploads(sql)} AS found
          FROM (SELECT ${stored === null ? null : JSON.stringify(stored)}::jsonb AS prepared, NULL::jsonb AS part_uploads) t`
        assert.strictEqual(row?.["found"], readStored(stored).uploads !== null, JSON.stringify(stored))
      }
    })
  )
})
