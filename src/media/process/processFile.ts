import { Duration, Effect, FileSystem, Record, Schema, Stream, Struct } from "effect"
import type { MediaFacts, Rendition, Renditions } from "../../domain/media/media.ts"
import { checkMedia } from "../../domain/media/mediaRules.ts"
import { enabledPlatforms, enabledRules } from "../../domain/enabled.ts"
import { factsOf } from "../../domain/plain/platforms.ts"
import { LivePlatform } from "../../domain/platform.ts"
import type { Rules } from "../../domain/posts/platformRules.ts"
import { CurrentRules } from "../../platforms/rules.ts"
import type { ClaimedFile, FileError } from "../../repo/media/Media.ts"
import { Repo } from "../../repo/Repo.ts"
import type { Bounds, Made } from "./child/protocol.ts"
import { eraseBytes } from "./eraseBytes.ts"
import { AcceptedType, isVideo } from "../limits.ts"
import { headerBytes, isSmallPicture } from "./lanes.ts"
import { MediaReader, type ReadingTurn } from "./MediaReader.ts"
import { orFull } from "../store/fileErrors.ts"
import { MediaStore, type StoredFile } from "../store/MediaStore.ts"

/** Limited, because a file that crashes the process could crash it again and again. */
const maxAttempts = 3

/** The wait after the system ended a reading. */
const retryWait = Duration.seconds(30)

type ProcessStep = Extract<ClaimedFile["step"], { readonly _tag: "Process" }>

/** The images to make from an upload for the enabled platforms, as JPEG, PNG, or WebP. */
const outputsFor = (rules: Rules): Readonly<Record<string, Bounds>> => ({
  thumbnail: { longestSide: 640, maxBytes: 100_000, keepsOriginal: false },
  ...Object.fromEntries(
    enabledPlatforms(rules).map((platform) => [platform, { ...factsOf(platform).image, keepsOriginal: true }])
  )
})

const isAccepted = Schema.is(AcceptedType)

const isStill = ({ animated, type }: MediaFacts) => type === "image" && !animated

const acceptingPlatforms = (rules: Rules, facts: MediaFacts) =>
  enabledRules(rules, LivePlatform.literals)
    // A platform that can't reach the service yet gets its renditions, so that its files needn't be uploaded again.
    .filter(
      ({ own, platform }) =>
        checkMedia(Struct.omit(own.media, ["refused"]), platform, [{ ...facts, alt: "" }]).length === 0
    )
    .map(({ platform }) => platform)

type Original = Pick<Rendition, "hash" | "size"> & { readonly contentType: AcceptedType }

/** Can be repeated: the same file yields the same bytes. */
const makeRenditions = Effect.fnUntraced(function* (file: ClaimedFile, original: Original, lane: ReadingTurn["lane"]) {
  const store = yield* MediaStore
  const reader = yield* MediaReader
  const files = yield* FileSystem.FileSystem
  const { media } = yield* Repo
  const { workspaceId } = file
  const { contentType, hash, size } = original
  yield* store.requireSpace
  const path = yield* store.localCopy(workspaceId, hash)
  const outputDirectory = yield* files.makeTempDirectoryScoped({ prefix: "media-" }).pipe(orFull("making a directory"))
  const outputs = outputsFor(yield* CurrentRules)
  const answer = yield* reader.read({ contentType, path, outputDirectory, outputs }, { lane, workspaceId })
  if (answer._tag === "Refused") return answer
  const facts: MediaFacts = { ...answer.facts, contentType, size }

  const keepWritten = (written: StoredFile) => media.keep({ workspaceId, hash: written.hash }, file.id)
  const place = Effect.fnUntraced(function* ({ path: madePath, ...made }: Made) {
    if (madePath === null) return { ...made, hash, size }
    const stored = yield* store.write(workspaceId, Stream.orDie(files.stream(madePath)), keepWritten)
    return { ...made, ...stored }
  })
  const made = yield* Effect.all(Record.map(answer.made, place))
  const done = (renditions: Renditions) => ({ _tag: "Done" as const, facts, renditions })
  if (isStill(facts)) return done(made)

  const thumbnail = Struct.pick(made, ["thumbnail"])
  const accepting = acceptingPlatforms(yield* CurrentRules, facts)
  if (accepting.length === 0) return done(thumbnail)

  /** The animation of a GIF, or a video without its metadata. */
  const sharedRendition = Effect.gen(function* () {
    const { animation, erasure } = answer
    if (animation !== null) return yield* place(animation)
    const unchanged: Rendition = { ...Struct.pick(facts, ["contentType", "width", "height"]), hash, size }
    if (erasure === null || erasure.spans.length === 0) return unchanged
    const erased = Stream.orDie(files.stream(path)).pipe(eraseBytes(erasure))
    return { ...unchanged, ...(yield* store.write(workspaceId, erased, keepWritten)) }
  })
  const rendition = yield* sharedRendition
  return done({ ...thumbnail, ...Object.fromEntries(accepting.map((platform) => [platform, rendition])) })
})

/** By the file's first bytes. False for a file that can't be read, which is found again when it is processed. */
export const isSmallFile = Effect.fnUntraced(
  function* ({ workspaceId }: ClaimedFile, { contentType, hash, size }: ProcessStep) {
    if (!isAccepted(contentType) || isVideo(contentType)) return false
    const { read } = yield* MediaStore
    const start = read(workspaceId, hash, { offset: 0, length: Math.min(size, headerBytes) })
    return isSmallPicture(contentType, size, Buffer.concat([...(yield* Stream.runCollect(start))]))
  },
  Effect.catchTag("MediaMissing", () => Effect.succeed(false))
)

const refused = (message: string) => ({ code: "unreadable", message })

const settleFailed = (file: ClaimedFile, error: FileError) =>
  Effect.flatMap(Repo, ({ media }) => media.settleFailed(file, error))

export const processFile = Effect.fn("processFile")(
  function* (file: ClaimedFile, step: ProcessStep, lane: ReadingTurn["lane"]) {
    const { media } = yield* Repo
    const { contentType } = step
    if (file.attempts > maxAttempts || !isAccepted(contentType)) {
      return yield* settleFailed(file, refused("The file could not be read: reading it failed several times"))
    }
    const result = yield* makeRenditions(file, { ...step, contentType }, lane)
    return yield* result._tag === "Refused"
      ? settleFailed(file, refused(result.message))
      : media.settleReady(file, result.facts, result.renditions)
  },
  Effect.scoped,
  (effect, file) =>
    Effect.catchTags(effect, {
      UnreadableFile: ({ message }) => settleFailed(file, refused(message)),
      ReadingEnded: ({ message }) =>
        file.attempts < maxAttempts
          ? Effect.flatMap(Repo, ({ media }) => media.release(file, { wait: retryWait, counts: true }))
          : settleFailed(file, refused(message)),
      MediaMissing: () =>
        settleFailed(file, { code: "lost", message: "The store of media has lost the file; upload it again" })
    })
)
