import { assert, layer } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { execFile } from "node:child_process"
import { mkdir, mkdtemp, rm } from "node:fs/promises"
import path from "node:path"
import { promisify } from "node:util"
import { makeClient } from "../support/http/typedClient.ts"
import { RunningService } from "../support/http/runningService.ts"
import { installPackages } from "../support/process/installPackages.ts"

const clients = path.resolve(import.meta.dirname, "../clients")

/** Runs a program with this Node; the error of a failed program contains its output. */
const runNode = (...args: ReadonlyArray<string>) =>
  Effect.promise((signal) => promisify(execFile)(process.execPath, args, { signal }))

/** A directory in `test/clients`, so that programs built there find its packages. */
const buildDirectory = Effect.acquireRelease(
  Effect.promise(async () => {
    const temp = path.join(clients, "temp")
    await mkdir(temp, { recursive: true })
    return mkdtemp(path.join(temp, "built-"))
  }),
  (directory) => Effect.promise(() => rm(directory, { recursive: true }))
)

/** Repeats a request until its response is as expected. */
const poll = <A, E, R>(request: Effect.Effect<A, E, R>, isExpected: (response: A) => boolean): Effect.Effect<A, E, R> =>
  Effect.repeat(request, { until: isExpected, schedule: Schedule.spaced("50 millis") })

layer(RunningService.layer, { excludeTestServices: true })("clients of the running service", (it) => {
  it.effect("The client derived from the contract creates, updates, publishes, reads and deletes a post", () =>
    Effect.gen(function* () {
      const { url, key } = yield* RunningService
      const { notifications, posts } = yield* makeClient(url, key)
      const created = yield* posts.create({
        headers: { "idempotency-key": "once" },
        payload: { content: "Hello from effect", platforms: ["twitter", "bluesky"], tags: ["greeting"] }
      })
      const params = { id: created.body.id }
      yield* posts.update({
        headers: { "if-match": [{ revision: 1, status: "draft" }] },
        params,
        payload: { tags: ["greeting", "changed"] }
      })
      const due = yield* posts.publish({ headers: {}, params })
      assert.include(["scheduled", "publishing", "published"], due.body.data.status)
      const { body } = yield* poll(posts.get({ params }), (response) => response.body.data.status === "published")
      assert.deepStrictEqual(body.data.tags, ["greeting", "changed"])
      for (const target of body.data.post_targets) assert.isNotNull(target.platform_post_url)
      const latest = yield* notifications.list({ query: { limit: 1 } })
      assert.deepInclude(latest.data[0]?.metadata, { post_id: params.id })
      const deleted = yield* posts.delete({ headers: {}, params })
      assert.deepStrictEqual(deleted.data, { id: params.id, deleted: true, left_on_platforms: 2 })
      const gone = yield* Effect.flip(posts.get({ params }))
      assert.strictEqual(gone._tag, "NotFound")
    })
  )

  it.effect(
    "Clients generated from the document compile in strict mode, publish a post and distinguish problems by code",
    () =>
      Effect.gen(function* () {
        const { url, key } = yield* RunningService
        yield* Effect.promise(() => installPackages("test/clients"))
        const directory = yield* buildDirectory
        yield* runNode(path.join(clients, "build.ts"), url, directory)
        for (const program of ["withOpenapiFetch.js", "withHeyApi.js"]) {
          const { stdout } = yield* runNode(path.join(directory, "built", program), url, key)
          assert.deepStrictEqual(
            JSON.parse(stdout),
            {
              uploaded: ["ready", "A pixel"],
              part: [206, "PNG"],
              created: "draft",
              carried: ["A pixel"],
              published: ["twitter published", "bluesky published"],
              notified: [
                ["post.published", true],
                ["post.later", true]
              ],
              recorded: [true, true],
              deleted: true,
              gone: "not_found",
              refused: ["tiktok"]
            },
            program
          )
        }
      })
    // Generating and compiling both clients takes five seconds of a core, and starting the programs two more.
  )
})
