import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { mkdir, mkdtemp, rm } from "node:fs/promises"
import path from "node:path"
import { promisify } from "node:util"
import { makeClient } from "../support/http/typedClient.ts"
import { RunningService } from "../support/http/runningService.ts"

const clients = path.resolve(import.meta.dirname, "../clients")

/** Runs a program with this Node; what it prints is in the error if it fails. */
const node = (...args: ReadonlyArray<string>) =>
  Effect.promise((signal) => promisify(execFile)(process.execPath, args, { signal }))

/** In the workspace, so that what is built there finds the workspace's packages. */
const directory = Effect.acquireRelease(
  Effect.promise(async () => {
    const temp = path.join(clients, "temp")
    await mkdir(temp, { recursive: true })
    return mkdtemp(path.join(temp, "built-"))
  }),
  (made) => Effect.promise(() => rm(made, { recursive: true }))
)

/** Asks until something is so; every question is a request of its own. */
const until = <A, E, R>(ask: Effect.Effect<A, E, R>, isSo: (answer: A) => boolean): Effect.Effect<A, E, R> =>
  Effect.repeat(ask, { until: isSo })

layer(RunningService.layer, { excludeTestServices: true })("with the running service", (it) => {
  it.effect("the client derived from the contract takes a post through its life", () =>
    Effect.gen(function* () {
      const { url, key } = yield* RunningService
      const { notifications, posts } = yield* makeClient(url, key)
      const created = yield* posts.create({
        headers: { "idempotency-key": "once" },
        payload: { content: "Hello from effect", platforms: ["twitter", "bluesky"], tags: ["greeting"] }
      })
      const params = { id: created.body.id }
      yield* posts.update({ params, payload: { tags: ["greeting", "changed"] } })
      const due = yield* posts.publish({ headers: {}, params })
      assert.include(["scheduled", "publishing", "published"], due.data.status)
      const { data } = yield* until(posts.get({ params }), (one) => one.data.status === "published")
      assert.deepStrictEqual(data.tags, ["greeting", "changed"])
      for (const target of data.post_targets) assert.isNotNull(target.platform_post_url)
      const told = yield* notifications.list({ query: { limit: 1 } })
      assert.deepInclude(told.data[0]?.metadata, { post_id: params.id })
      const deleted = yield* posts.delete({ headers: {}, params })
      assert.deepStrictEqual(deleted.data, { id: params.id, deleted: true })
      const gone = yield* Effect.flip(posts.get({ params }))
      assert.strictEqual(gone._tag, "NotFound")
    })
  )

  it.effect(
    "a client generated from its document compiles in strict mode and does the same, problems told apart by code",
    () =>
      Effect.gen(function* () {
        const { url, key } = yield* RunningService
        const built = yield* directory
        yield* node(path.join(clients, "build.ts"), url, built)
        for (const program of ["withOpenapiFetch.js", "withHeyApi.js"]) {
          const { stdout } = yield* node(path.join(built, "built", program), url, key)
          assert.deepStrictEqual(
            JSON.parse(stdout),
            {
              created: "draft",
              published: ["twitter published", "bluesky published"],
              deleted: true,
              gone: "not_found",
              refused: ["tiktok"]
            },
            program
          )
        }
      })
  )
})
