import { Duration, Effect, FileSystem, Layer, Schedule, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import type { Bounds } from "../media/process/child/protocol.ts"
import { isVideo } from "../media/limits.ts"
import { MediaReader } from "../media/process/MediaReader.ts"
import { sniff } from "../media/receive/sniff.ts"
import { Outbound } from "../outbound/Outbound.ts"
import type { MissingAvatar } from "../repo/integrations/avatars.ts"
import { bestEffort } from "../repo/postgres/databaseErrors.ts"
import { Repo } from "../repo/Repo.ts"

const maxBytes = 5_000_000
const timeout = Duration.seconds(10)
const maxRedirects = 3

const bounds: Bounds = { longestSide: 128, maxBytes: 65_536, keepsOriginal: false }

const maxPerRound = 20

class NoPicture extends Schema.TaggedError<NoPicture>()("NoPicture", { message: Schema.String }) {}

/** Re-encodes the picture, so that a browser gets no bytes that a stranger wrote. */
const copyAvatar = Effect.fn("copyAvatar")(function* (avatar: MissingAvatar) {
  const { avatars } = yield* Repo
  const outbound = yield* Outbound
  const reader = yield* MediaReader
  const files = yield* FileSystem.FileSystem
  const request = HttpClientRequest.get(avatar.sourceUrl, { headers: { accept: "image/jpeg,image/png,image/webp" } })
  const { bytes, status } = yield* outbound.fetch({ request, timeout, maxBytes: maxBytes + 1, maxRedirects })
  if (status !== 200) return yield* new NoPicture({ message: `The picture's server answered ${status}` })
  if (bytes.byteLength > maxBytes) return yield* new NoPicture({ message: "The picture is too large" })
  const contentType = yield* sniff(bytes)
  if (isVideo(contentType)) return yield* new NoPicture({ message: "The picture is a video" })
  const directory = yield* files.makeTempDirectoryScoped({ prefix: "avatar-" })
  const path = `${directory}/original`
  const outputDirectory = `${directory}/made`
  yield* files.makeDirectory(outputDirectory)
  yield* files.writeFile(path, bytes)
  const answer = yield* reader.read(
    { contentType, path, outputDirectory, outputs: { avatar: bounds } },
    { lane: "shown", workspaceId: avatar.workspaceId }
  )
  if (answer._tag === "Refused") return yield* new NoPicture({ message: answer.message })
  const made = answer.made["avatar"]?.path ?? null
  if (made === null) return yield* new NoPicture({ message: "The picture was not made" })
  yield* avatars.store(avatar, yield* files.readFile(made))
}, Effect.scoped)

/**
 * Copies new pictures of accounts. Each is claimed right before it is fetched, so that a process that ends leaves at
 * most one unfinished.
 */
export const copyAvatars = Effect.gen(function* () {
  const { avatars } = yield* Repo
  for (let copied = 0; copied < maxPerRound; copied++) {
    const [missing] = yield* avatars.takeMissing(1)
    if (missing === undefined) return
    yield* Effect.catch(copyAvatar(missing), ({ _tag }) =>
      // The message is not logged, because it contains a URL that somebody chose.
      Effect.annotateLogs(Effect.logDebug("An account stays without its picture"), { reason: _tag })
    ).pipe(bestEffort("The picture of an account was not copied"))
  }
}).pipe(bestEffort("Pictures of accounts were not copied"))

export const avatarFiber = Layer.effectDiscard(
  Effect.forkScoped(Effect.repeat(copyAvatars, Schedule.spaced("1 minute")))
)
