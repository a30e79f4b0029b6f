import S3rver from "@20minutes/s3rver"
import { Effect, FileSystem, Redacted } from "effect"

/** A server with the API of S3 and a bucket, until the scope closes. */
export const startS3Server = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const directory = yield* files.makeTempDirectoryScoped()
  const { port } = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const buckets = [{ name: "media" }, { name: "other" }]
      const server = new S3rver({ address: "127.0.0.1", port: 0, silent: true, directory, configureBuckets: buckets })
      return { server, ...(await server.run()) }
    }),
    ({ server }) => Effect.promise(() => server.close())
  )
  return {
    endpoint: `http://127.0.0.1:${port}`,
    bucket: "media",
    region: "us-east-1",
    accessKeyId: "S3RVER",
    secretAccessKey: Redacted.make("S3RVER"),
    pathStyle: true
  }
})
