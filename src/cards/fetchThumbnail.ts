import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { type Duration, Effect, FileSystem } from "effect"
import { HttpClientRequest } from "effect/http"
import type { WorkspaceId } from "../domain/ids.ts"
import { cardPlatforms, type LinkCard } from "../domain/posts/linkCard.ts"
import type { AcceptedType } from "../media/limits.ts"
import type { MediaReader } from "../media/process/MediaReader.ts"
import type { MediaLibrary } from "../media/MediaLibrary.ts"
import { pictureAlone } from "../media/process/picture/pictureAlone.ts"
import { sniff } from "../media/receive/sniff.ts"
import { liveFacts } from "../platforms/facts.ts"
import type { Outbound } from "../outbound/Outbound.ts"
import { maxRedirects } from "./fetchPage.ts"

const cards = cardPlatforms.flatMap((platform) => liveFacts[platform].card ?? [])

const maxThumbnailBytes = Math.min(...cards.map(({ maxPictureBytes }) => maxPictureBytes))

const isAccepted = (type: string) => cards.every(({ pictureTypes }) => pictureTypes.includes(type))

/** In pixels: the usual size of pictures for cards. */
const longestSide = 1200

const maxFetchedBytes = 10_000_000

const scale = Effect.fnUntraced(
  function* (reader: MediaReader["Service"], workspaceId: WorkspaceId, bytes: Uint8Array, contentType: AcceptedType) {
    const files = yield* FileSystem.FileSystem
    const directory = yield* files.makeTempDirectoryScoped({ prefix: "card-" })
    const path = `${directory}/picture`
    yield* files.writeFile(path, bytes)
    const outputs = { picture: { longestSide, maxBytes: maxThumbnailBytes, keepsOriginal: false } }
    const answer = yield* reader.read(
      { contentType, path, outputDirectory: directory, outputs },
      { lane: "shown", workspaceId }
    )
    const made = answer._tag === "Done" ? answer.made["picture"] : undefined
    if (made?.path === undefined || made.path === null) return null
    return { bytes: yield* files.readFile(made.path), contentType: made.contentType }
  },
  Effect.scoped,
  Effect.provide(NodeFileSystem.layer)
)

/**
 * Fetches a card's picture, scales a large one, and stores it, because a repeated send needs identical bytes. Null if
 * that fails, or if a platform does not accept the type. Fails if the quota or the disk has no room.
 */
export const fetchThumbnail = Effect.fn("fetchThumbnail")(
  function* (
    outbound: Outbound["Service"],
    {
      library,
      reader
    }: { readonly reader: MediaReader["Service"] | undefined; readonly library: MediaLibrary["Service"] },
    workspaceId: WorkspaceId,
    url: string,
    timeout: Duration.Duration
  ) {
    const request = HttpClientRequest.get(url, { headers: { accept: "image/jpeg,image/png,image/webp" } })
    const mostBytes = reader === undefined ? maxThumbnailBytes : maxFetchedBytes
    const { bytes, status } = yield* outbound.fetch({
      request,
      timeout,
      maxBytes: mostBytes + 1,
      maxRedirects,
      http: true
    })
    if (status !== 200 || bytes.byteLength > mostBytes) return null
    // The bytes decide the type, whatever the server says.
    const contentType = yield* sniff(bytes)
    if (!isAccepted(contentType)) return null
    const alone = yield* Effect.promise(() => pictureAlone(contentType, bytes))
    const isSent = alone !== undefined && alone.byteLength <= maxThumbnailBytes
    const picture = isSent
      ? { bytes: alone, contentType }
      : reader === undefined
        ? null
        : yield* scale(reader, workspaceId, bytes, contentType)
    if (picture === null) return null
    const { hash, size } = yield* library.storeCardPicture(workspaceId, picture.bytes)
    return { hash, content_type: picture.contentType, size } satisfies LinkCard["thumb"]
  },
  (effect, _outbound, _services, _workspaceId, _url, timeout) => Effect.timeout(effect, timeout)
)
