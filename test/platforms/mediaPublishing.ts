import { DateTime, type Duration, Effect, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { PostId } from "../../src/domain/ids.ts"
import type { MediaFacts } from "../../src/domain/media/media.ts"
import { MediaFiles, noFiles } from "../../src/platforms/MediaFiles.ts"
import { Publisher } from "../../src/publishing/Publisher.ts"
import { Uploader } from "../../src/publishing/Uploader.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { Sandbox } from "../../src/sandbox/Sandbox.ts"
import type { CallKind, Fault } from "../../src/sandbox/state/faults.ts"
import { mp4, png } from "../sandbox/sampleFiles.ts"
import { plan } from "../support/database/fixtures.ts"
import { imageFacts, storeFile } from "../support/database/mediaFixtures.ts"
import { publishing } from "./publishing.ts"
import { baseUrl } from "./world.ts"

const video = mp4(4000)

const pngFacts: MediaFacts = { ...imageFacts, size: png.byteLength }
const videoFacts: MediaFacts = {
  ...imageFacts,
  type: "video",
  contentType: "video/mp4",
  size: video.byteLength,
  durationMs: 1000,
  videoCodec: "avc",
  frameRate: 30
}

/** The URL of the video in the store. Every other URL is the image's. */
const videoHash = "1".repeat(64)

const files = Layer.succeed(MediaFiles, () => ({
  ...noFiles,
  read: (hash, range) =>
    Stream.suspend(() => {
      const bytes = hash === videoHash ? video : png
      return Stream.make(range === undefined ? bytes : bytes.slice(range.offset, range.offset + range.length))
    })
}))

/** The publisher and the uploader on PostgreSQL, with the real adapters, the stand-in for X and stored files. */
export const mediaPublishing = publishing(
  Effect.map(Sandbox, (sandbox) => sandbox.platforms(baseUrl)),
  Layer.merge(Sandbox.layer(), files)
)

/** Uploads and publishes everything due, until nothing is left to begin. */
const work = Effect.gen(function* () {
  const publisher = yield* Publisher
  const uploader = yield* Uploader
  const round = Effect.gen(function* () {
    const uploads = yield* uploader.tick
    yield* uploader.idle
    const sends = yield* publisher.tick
    yield* publisher.idle
    return uploads + sends
  })
  yield* Effect.repeat(round, { until: (begun) => begun === 0 })
})

/** Does everything that is due now, and again after each wait. */
export const workAfter = (...waits: ReadonlyArray<Duration.Input>) =>
  Effect.andThen(
    work,
    Effect.forEach(waits, (wait) => Effect.andThen(TestClock.adjust(wait), work), { discard: true })
  )

/** A workspace with an account on X, whose posts have an image or a video. */
export const mediaTeam = Effect.fn(function* (name: string) {
  const { integrations, posts, workspaces } = yield* Repo
  const sandbox = yield* Sandbox
  const { id: workspace } = yield* workspaces.create(name)
  const account = yield* sandbox.connect("twitter", name)
  yield* integrations.connect(workspace, { platform: "twitter", ...account })
  const due = Effect.fnUntraced(function* (
    content: string,
    { kind = "image", minutes = 0 }: { readonly kind?: "image" | "video"; readonly minutes?: number } = {}
  ) {
    const file = yield* storeFile(
      workspace,
      kind === "image" ? { facts: pngFacts } : { facts: videoFacts, hash: videoHash }
    )
    const at = DateTime.add(yield* DateTime.now, { minutes })
    const { id } = yield* posts.create(workspace, { ...plan(at), content, media: [file] })
    return id
  })
  return {
    workspace,
    due,
    fault: (fault: Fault, call: CallKind = "publish", times = 1) =>
      sandbox.faults.add({ platform: "twitter", call, fault, times }),
    target: Effect.fnUntraced(function* (post: PostId) {
      const [only] = (yield* posts.get(workspace, post)).post_targets
      return only ?? (yield* Effect.die("The post has no target"))
    }),
    tweets: Effect.map(sandbox.posts, (all) => all.filter(({ accountId }) => accountId === account.accountId))
  }
})
