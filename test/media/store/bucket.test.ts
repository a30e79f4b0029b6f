import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Stream } from "effect"
import { createServer } from "node:http"
import { makeBucket } from "../../../src/media/store/bucket.ts"

const page = (key: string, next?: string) =>
  `<ListBucketResult><Contents><Key>${key}</Key><LastModified>2026-11-22T07:00:00.000Z</LastModified></Contents>${next === undefined ? "" : `<NextContinuationToken>${next}</NextContinuationToken>`}</ListBucketResult>`

/** A service that lists one object a page. */
const startPages = Effect.acquireRelease(
  Effect.promise(async () => {
    const server = createServer((request, response) => {
      const token = new URL(request.url ?? "/", "http://localhost").searchParams.get("continuation-token")
      response.end(token === "a+b/c=" ? page("second") : page("first", "a+b/c="))
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const address = server.address()
    return { server, port: typeof address === "object" ? address?.port : 0 }
  }),
  ({ server }) => Effect.promise(() => new Promise((resolve) => server.close(resolve)))
)

describe("makeBucket", () => {
  it.live("A list of several pages is read to its end", () =>
    Effect.gen(function* () {
      const { port } = yield* startPages
      const bucket = yield* makeBucket({
        endpoint: `http://127.0.0.1:${port}`,
        bucket: "media",
        region: "us-east-1",
        accessKeyId: "id",
        secretAccessKey: Redacted.make("secret"),
        pathStyle: true
      })
      const objects = yield* Stream.runCollect(bucket.list)
      assert.deepStrictEqual(
        objects.map(({ key }) => key),
        ["first", "second"]
      )
    })
  )
})
