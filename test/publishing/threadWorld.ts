import { Context, DateTime, Duration, Effect, Layer, type Option, Schema } from "effect"
import { TestClock } from "effect/testing"
import type { PostId, WorkspaceId } from "../../src/domain/ids.ts"
import type { LivePlatform } from "../../src/domain/platform.ts"
import type { PostPlan } from "../../src/domain/posts/postPlan.ts"
import type { ThreadPart } from "../../src/domain/posts/thread.ts"
import type { PlatformError, Publication, UploadsGone } from "../../src/domain/publishing/platformError.ts"
import type { PostLimit } from "../../src/domain/publishing/threadStart.ts"
import {
  type PlatformAdapter,
  PlatformClient,
  type PlatformFile,
  type PublishRequest,
  Uploaded
} from "../../src/platforms/PlatformClient.ts"
import { Publisher } from "../../src/publishing/Publisher.ts"
import { ahead } from "../../src/publishing/timing.ts"
import { Uploader } from "../../src/publishing/Uploader.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { makeWorkspace, plan } from "../support/database/fixtures.ts"
import { repoLayer } from "../support/database/testDatabase.ts"
import { publisherLayer } from "./publisherLayer.ts"
import { scriptedSend } from "./scriptedSend.ts"
import { perPlatform } from "../support/platforms/perPlatform.ts"

const Sent = Schema.TaggedStruct("TestPost", {
  text: Schema.String,
  part: Schema.Int,
  parent: Schema.NullOr(Schema.String),
  root: Schema.NullOr(Schema.String),
  settings: Schema.Boolean,
  files: Schema.NullOr(Schema.String)
})

const read = Schema.decodeUnknownSync(Sent)

/** A call of a platform as `platform call text <- parent`, with its files in brackets. */
const describeCall = (platform: LivePlatform, call: string, { files, parent, settings, text }: typeof Sent.Type) =>
  [
    `${platform} ${call} ${text}`,
    ...(files === null ? [] : [`[${files}]`]),
    ...(parent === null ? [] : [`<- ${parent}`]),
    ...(settings ? ["with settings"] : [])
  ].join(" ")

type Send = Effect.Effect<Publication, PlatformError | UploadsGone>
type Look = Effect.Effect<Option.Option<Publication>, PlatformError>

/** Scripts the platforms. An unscripted send publishes under the platform's name and the text; a look finds nothing. */
export class ThreadScript extends Context.Service<
  ThreadScript,
  {
    readonly sends: Record<LivePlatform, Array<Send>>
    readonly looks: Record<LivePlatform, Array<Look>>
    /** The known limits of X for each account. */
    readonly limits: Array<PostLimit>
    /** The calls of the platforms since the last read. */
    readonly takeCalls: () => ReadonlyArray<string>
  }
>()("test/ThreadScript") {}

export const published = (id: string, url: string | null = `https://platform.test/${id}`): Publication => ({
  platformPostId: id,
  url,
  cid: `cid of ${id}`
})

const scripted = Layer.effectContext(
  Effect.sync(() => {
    const calls: Array<string> = []
    const sends: Record<LivePlatform, Array<Send>> = perPlatform(() => [])
    const looks: Record<LivePlatform, Array<Look>> = perPlatform(() => [])
    const limits: Array<PostLimit> = []
    const adapter = (platform: LivePlatform): PlatformAdapter => ({
      maxReconcileAttempts: 3,
      renew: () => Effect.die("Unexpected renewal"),
      ...(platform === "twitter" && {
        replyPause: Duration.seconds(2),
        postLimits: { note: () => {}, of: () => limits }
      }),
      upload: (files) => {
        const names = files.map(({ alt }: PlatformFile) => alt).join(", ")
        calls.push(`${platform} upload ${names}`)
        return Effect.succeed(Uploaded({ uploads: names }))
      },
      prepare: ({ part = 1, reply = null, settings, text, uploads = null }: PublishRequest) =>
        Effect.succeed({
          _tag: "TestPost",
          text,
          part,
          parent: reply?.parent.platformPostId ?? null,
          root: reply?.root.platformPostId ?? null,
          settings: Object.keys(settings).length > 0,
          files: uploads
        }),
      ...scriptedSend((prepared) =>
        Effect.suspend(() => {
          const sent = read(prepared)
          calls.push(describeCall(platform, "publish", sent))
          return sends[platform].shift() ?? Effect.succeed(published(`${platform}-${sent.text}`))
        })
      ),
      reconcile: (prepared) =>
        Effect.suspend(() => {
          const sent = read(prepared)
          calls.push(describeCall(platform, "reconcile", sent))
          const looked = sends[platform].shift() ?? Effect.succeed(published(`${platform}-${sent.text}`))
          return Effect.catchTag(looked, "UploadsGone", Effect.die)
        }),
      find: (prepared) =>
        Effect.suspend(() => {
          calls.push(describeCall(platform, "find", read(prepared)))
          return looks[platform].shift() ?? Effect.succeedNone
        })
    })
    return Context.make(PlatformClient, perPlatform(adapter)).pipe(
      Context.add(ThreadScript, { sends, looks, limits, takeCalls: () => calls.splice(0) })
    )
  })
)

/** Ticks the uploader and the publisher, and waits for both. */
export const tick = Effect.gen(function* () {
  const uploader = yield* Uploader
  const publisher = yield* Publisher
  yield* uploader.tick
  yield* uploader.idle
  yield* publisher.tick
  yield* publisher.idle
})

/** Lets time pass, and then ticks `ticks` times. */
export const after = Effect.fnUntraced(function* (duration: Duration.Input, ticks = 1) {
  yield* TestClock.adjust(duration)
  for (let done = 0; done < ticks; done++) yield* tick
})

/** The time before a due time at which nothing is claimed yet. */
export const notYet = Duration.sum(ahead.within, Duration.millis(1))

export const part = (content: string, changes: Partial<ThreadPart> = {}): ThreadPart => ({
  content,
  platform_overrides: {},
  media: [],
  card: null,
  platforms: null,
  ...changes
})

export interface Stored {
  readonly workspace: WorkspaceId
  readonly id: PostId
}

/** A thread that is due in a minute: its first text, and the parts that follow. */
export const threadInAMinute = Effect.fnUntraced(function* (
  content: string,
  thread: ReadonlyArray<ThreadPart>,
  { platforms = ["twitter"], ...changes }: Partial<PostPlan> = {}
) {
  const { posts } = yield* Repo
  const workspace = yield* makeWorkspace()
  const at = DateTime.addDuration(yield* DateTime.now, "1 minute")
  const { id } = yield* posts.create(workspace, { ...plan(at, platforms), content, thread, ...changes })
  const stored: Stored = { workspace, id }
  return stored
})

/** The state of a post, and of the parts on each of its platforms. */
export const states = Effect.fnUntraced(function* ({ id, workspace }: Stored) {
  const { post_targets, status } = yield* (yield* Repo).posts.get(workspace, id)
  return [
    status,
    ...post_targets.map(({ integrations, parts, status: own }) =>
      [
        `${integrations.platform} ${own}:`,
        ...(parts ?? []).map(({ error, status: each }) => (error === null ? each : `${each}(${error.code})`))
      ].join(" ")
    )
  ]
})

const start = DateTime.makeUnsafe("2026-01-31T12:00:00.250Z")

/** A publisher and an uploader on PostgreSQL, and scripted platforms. */
export const threadWorld = publisherLayer.pipe(
  Layer.provideMerge(scripted),
  Layer.provideMerge(repoLayer),
  Layer.provideMerge(Layer.effectDiscard(TestClock.setTime(DateTime.toEpochMillis(start))))
)
