import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { interleave } from "../support/database/interleave.ts"
import { makeCaller, mediaServerLayer } from "./mediaWorld.ts"
import { plainJpeg } from "./sampleFiles.ts"

// Not policed: it revokes keys beside the service.

type Caller = Effect.Success<ReturnType<typeof makeCaller>>

/** A key that has uploaded a file. */
const start = Effect.gen(function* () {
  const caller = yield* makeCaller()
  const { body } = yield* caller.upload(yield* Effect.promise(plainJpeg))
  const id: string = body.data.id
  return { caller, id }
})

const files = ({ workspaceId }: Caller) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`SELECT id, alt FROM media WHERE workspace_id = ${workspaceId}::uuid AND removed_at IS NULL
      AND status <> 'uploading' ORDER BY id`
  )

layer(mediaServerLayer)("Requests with files in flight, of a key that is revoked", (it) => {
  it.effect.each([
    ["An upload", ({ upload }: Caller) => Effect.flatMap(Effect.promise(plainJpeg), (bytes) => upload(bytes))],
    [
      "A file from a URL",
      ({ call }: Caller) => call("POST", "/v1/media/from-url", { url: "https://example.com/picture.png" })
    ],
    [
      "A change of an alternative text",
      ({ call }: Caller, id: string) => call("PATCH", `/v1/media/${id}`, { alt: "Other" })
    ],
    ["A removal", ({ call }: Caller, id: string) => call("DELETE", `/v1/media/${id}`)]
  ] as const)("%s changes nothing", ([, request]) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { caller, id } = yield* start
      const before = yield* files(caller)
      const [, exit] = yield* interleave(
        sql`UPDATE api_keys SET revoked_at = now() WHERE id = ${caller.keyId}::uuid`,
        request(caller, id)
      )
      const { body, status } = yield* exit
      assert.deepStrictEqual([status, body.code], [401, "unauthorized"])
      assert.deepStrictEqual(yield* files(caller), before)
    })
  )
})
