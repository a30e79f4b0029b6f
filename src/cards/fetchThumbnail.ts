import { Duration, Effect } from "effect"
import { HttpClientRequest } from "effect/http"
import type { WorkspaceId } from "../domain/ids.ts"
import { cardPlatforms, type LinkCard } from "../domain/posts/linkCard.ts"
import type { MediaReader } from "../media/process/MediaReader.ts"
import type { MediaLibrary } from "../media/MediaLibrary.ts"
import { sniff } from "../media/receive/sniff.ts"
import { liveFacts } from "../platforms/facts.ts"
import type { Outbound } from "../outbound/Outbound.ts"
import { maxRedirects } from "./fetchPage.ts"
import { preparePicture } from "./preparePicture.ts"

const cards = cardPlatforms.flatMap((platform) => liveFacts[platform].card ?? [])

const maxThumbnailBytes = Math.min(...cards.map(({ maxPictureBytes }) => maxPictureBytes))

const isAccepted = (type: string) => cards.every(({ pictureTypes }) => pictureTypes.includes(type))

/** In pixels: the usual size of pictures for cards. */
const longestSide = 1200

const maxFetchedBytes = 10_000_000

interface Services {
  readonly reader: MediaReader["Service"]
  readonly library: MediaLibrary["Service"]
}

/**
 * Fetches a card's picture, prepares it, and stores it, because a repeated send needs identical bytes. Null if the page
 * names no such picture, or if a platform does not accept the type. Fails if the quota or the disk has no room.
 */
const fetchThumbnail = Effect.fn("fetchThumbnail")(
  function* (
    outbound: Outbound["Service"],
    { library, reader }: Services,
    workspaceId: WorkspaceId,
    url: string,
    timeout: Duration.Duration
  ) {
    const request = HttpClientRequest.get(url, { headers: { accept: "image/jpeg,image/png,image/webp" } })
    const { bytes, status } = yield* outbound.fetch({
      request,
      timeout,
      maxBytes: maxFetchedBytes + 1,
      maxRedirects,
      http: true
    })
    if (status !== 200 || bytes.byteLength > maxFetchedBytes) return null
    // The bytes decide the type, whatever the server says.
    const contentType = yield* sniff(bytes)
    if (!isAccepted(contentType)) return null
    const picture = yield* preparePicture(
      reader,
      workspaceId,
      { bytes, contentType },
      { longestSide, maxBytes: maxThumbnailBytes }
    )
    if (picture === null) return null
    const { hash, size } = yield* library.storeCardPicture(workspaceId, picture.bytes)
    return { hash, content_type: picture.contentType, size } satisfies LinkCard["thumb"]
  },
  (effect, _outbound, _services, _workspaceId, _url, timeout) => Effect.timeout(effect, timeout)
)

const noThumbnail = () => Effect.succeed(null)

/**
 * The first of the pictures that can be shown. A picture gets half of the time that is left, the last one all of it.
 */
export const fetchFirstThumbnail = Effect.fnUntraced(function* (
  outbound: Outbound["Service"],
  services: Services,
  workspaceId: WorkspaceId,
  urls: ReadonlyArray<string>,
  left: Effect.Effect<Duration.Duration>
) {
  for (const [index, url] of urls.entries()) {
    const time = Duration.times(yield* left, index === urls.length - 1 ? 1 : 0.5)
    const thumbnail = yield* fetchThumbnail(outbound, services, workspaceId, url, time).pipe(
      Effect.catchTags({
        AddressRefused: noThumbnail,
        Unreachable: noThumbnail,
        TooManyRedirects: noThumbnail,
        ResponseTooLong: noThumbnail,
        TimeoutError: noThumbnail,
        MediaUnsupported: noThumbnail,
        UnreadableFile: noThumbnail
      })
    )
    if (thumbnail !== null) return thumbnail
  }
  return null
})
