import { Context, DateTime, type Duration, Effect, Layer, type Option, Queue } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { PostId, WorkspaceId } from "../../src/domain/ids.ts"
import type { LivePlatform } from "../../src/domain/platform.ts"
import type { PlatformError, Publication, UploadsGone } from "../../src/domain/publishing/platformError.ts"
import {
  type PlatformAdapter,
  PlatformClient,
  type PlatformFile,
  Uploaded,
  type UploadProgress
} from "../../src/platforms/PlatformClient.ts"
import { Publisher } from "../../src/publishing/Publisher.ts"
import { Uploader } from "../../src/publishing/Uploader.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { makeWorkspace, plan } from "../support/database/fixtures.ts"
import { storeFile } from "../support/database/mediaFixtures.ts"
import { repoLayer } from "../support/database/testDatabase.ts"
import { adapterPost, adapterUploads, readAdapterPost } from "./adapterJson.ts"
import { publisherLayer } from "./publisherLayer.ts"
import { scriptedSend } from "./scriptedSend.ts"
import { perPlatform } from "../support/platforms/perPlatform.ts"

interface Call {
  readonly call: "upload" | "ask" | "publish"
  readonly platform: LivePlatform
  readonly what: string
}

type UploadResult = Effect.Effect<string | UploadProgress, PlatformError | UploadsGone>
type PublishResult = Effect.Effect<void, PlatformError | UploadsGone>

/** Scripts the results of uploads and sends. One name stands for all files of an upload. Unscripted calls succeed. */
export class Script extends Context.Service<
  Script,
  {
    readonly uploads: Array<UploadResult>
    readonly preparations: Array<Effect.Effect<void, PlatformError>>
    readonly sends: Array<PublishResult>
    /** The results of looks for a sent post. Later looks find it. */
    readonly looks: Array<Effect.Effect<void, PlatformError>>
    /** The results of searches for a post that might be out. Later searches find nothing. */
    readonly searches: Array<Effect.Effect<Option.Option<Publication>, PlatformError>>
    readonly calls: Effect.Effect<ReadonlyArray<string>>
    readonly nextCall: Effect.Effect<Call>
  }
>()("test/UploadScript") {}

const scripted = Layer.effectContext(
  Effect.gen(function* () {
    const calls = yield* Queue.unbounded<Call>()
    const uploads: Array<UploadResult> = []
    const preparations: Array<Effect.Effect<void, PlatformError>> = []
    const sends: Array<PublishResult> = []
    const looks: Array<Effect.Effect<void, PlatformError>> = []
    const searches: Array<Effect.Effect<Option.Option<Publication>, PlatformError>> = []
    const adapter = (platform: LivePlatform): PlatformAdapter => ({
      maxReconcileAttempts: 3,
      renew: () => Effect.die("Unexpected renewal"),
      upload: (files, _, begun) =>
        Effect.suspend(() => {
          const what = files.map(({ alt, contentType }: PlatformFile) => `${contentType} ${alt}`).join(", ")
          return Effect.andThen(
            Queue.offer(
              calls,
              begun === null
                ? { call: "upload", platform, what }
                : { call: "ask", platform, what: JSON.stringify(begun) }
            ),
            Effect.map(uploads.shift() ?? Effect.succeed(what), (result) =>
              typeof result === "string" ? Uploaded({ uploads: adapterUploads(platform, result) }) : result
            )
          )
        }),
      prepare: (request) =>
        Effect.suspend(() => Effect.as(preparations.shift() ?? Effect.void, adapterPost(platform, request))),
      ...scriptedSend((prepared) =>
        Effect.suspend(() =>
          Effect.andThen(
            Queue.offer(calls, { call: "publish", platform, what: JSON.stringify(readAdapterPost(prepared)) }),
            Effect.as(sends.shift() ?? Effect.void, { platformPostId: "1", url: null })
          )
        )
      ),
      reconcile: () =>
        Effect.suspend(() => Effect.as(looks.shift() ?? Effect.void, { platformPostId: "1", url: null })),
      find: () => Effect.suspend(() => searches.shift() ?? Effect.succeedNone)
    })
    return Context.make(PlatformClient, perPlatform(adapter)).pipe(
      Context.add(Script, {
        uploads,
        preparations,
        sends,
        looks,
        searches,
        calls: Effect.map(Queue.clear(calls), (all) => all.map(({ call, platform }) => `${call} ${platform}`)),
        nextCall: Queue.take(calls)
      })
    )
  })
)

/** Ticks the uploader and the publisher, and waits for both. Returns the numbers of begun uploads and attempts. */
export const tick = Effect.gen(function* () {
  const uploader = yield* Uploader
  const publisher = yield* Publisher
  const uploads = yield* uploader.tick
  yield* uploader.idle
  const claims = yield* publisher.tick
  yield* publisher.idle
  return [uploads, claims]
})

export const after = (duration: Duration.Input) => Effect.andThen(TestClock.adjust(duration), tick)

/** A post with an image, due in an hour. */
export const inAnHour = Effect.fnUntraced(function* (
  platforms: ReadonlyArray<LivePlatform> = ["twitter"],
  alt = "A cat"
) {
  const { posts } = yield* Repo
  const workspace = yield* makeWorkspace()
  const file = yield* storeFile(workspace, { alt })
  const at = DateTime.addDuration(yield* DateTime.now, "1 hour")
  const { id } = yield* posts.create(workspace, { ...plan(at, platforms), media: [file] })
  return { workspace, id, at, file }
})

export const statuses = ({ id, workspace }: { readonly workspace: WorkspaceId; readonly id: PostId }) =>
  Effect.gen(function* () {
    const { post_targets, status } = yield* (yield* Repo).posts.get(workspace, id)
    return [
      status,
      ...post_targets.map((target) =>
        target.error === null ? target.status : `${target.status}: ${target.error.code}`
      )
    ]
  })

export const notificationTypes = (workspace: WorkspaceId) =>
  Effect.gen(function* () {
    const { data } = yield* (yield* Repo).notifications.page(workspace, 0, 10)
    return data.map(({ type }) => type)
  })

export const uploadRows = ({ id }: { readonly id: PostId }) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql`SELECT u.status FROM post_target_uploads u JOIN post_targets t ON t.id = u.target_id
      WHERE t.post_id = ${id}::uuid ORDER BY t.position`
    return rows.map(({ status }) => status)
  })

// The uploader and the publisher use the database's clock if it is behind theirs.
const start = DateTime.makeUnsafe("2026-01-31T12:00:00.250Z")

/** A publisher and an uploader on PostgreSQL, and scripted platforms. */
export const uploadWorld = publisherLayer.pipe(
  Layer.provideMerge(scripted),
  Layer.provideMerge(repoLayer),
  Layer.provideMerge(Layer.effectDiscard(TestClock.setTime(DateTime.toEpochMillis(start))))
)
