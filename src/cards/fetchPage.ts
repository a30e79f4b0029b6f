import { type Duration, Effect, Schema, Stream } from "effect"
import { HttpClientRequest } from "effect/http"
import type { Outbound, OutboundResponse } from "../outbound/Outbound.ts"
import { makeMetadataReader, type PageMetadata } from "./pageMetadata.ts"
import { makePageText } from "./pageText.ts"

/** Some heads are long: YouTube's names began after 699 kB in August 2026. */
const maxBytes = 2_000_000
export const maxRedirects = 5

class NoCard extends Schema.TaggedError<NoCard>()("NoCard", { message: Schema.String }) {}

const isPage = (contentType: string): boolean => /^\s*(text\/html|application\/xhtml\+xml)\s*(;|$)/i.test(contentType)

/** Reads to the end of the head if the head names a title. Yields to other work between chunks. */
const readMetadata = Effect.fnUntraced(function* ({ body }: OutboundResponse, contentType: string) {
  const reader = makeMetadataReader()
  const text = makePageText(contentType)
  let size = 0
  yield* Stream.runForEachWhile(body, (chunk) => {
    const bytes = chunk.subarray(0, maxBytes - size)
    size += bytes.byteLength
    return Effect.as(Effect.yieldNow, reader.write(text.add(bytes)) && size < maxBytes)
  })
  reader.write(text.end())
  return reader.end()
})

/** The pictures' URLs are absolute. A page without a title gets no card. */
export const fetchPage = Effect.fn("fetchPage")(
  function* (outbound: Outbound["Service"], url: string, timeout: Duration.Duration) {
    const request = HttpClientRequest.get(url, { headers: { accept: "text/html,application/xhtml+xml" } })
    // A page may be longer than what is read of it.
    const response = yield* outbound.open({ request, timeout, maxBytes: Infinity, maxRedirects, http: true })
    const contentType = response.headers["content-type"] ?? ""
    if (response.status !== 200) return yield* new NoCard({ message: `The page answered ${response.status}` })
    if (!isPage(contentType)) return yield* new NoCard({ message: "The link leads to no page" })
    const metadata = yield* readMetadata(response, contentType)
    if (metadata.title === "") return yield* new NoCard({ message: "The page has no title" })
    const images = metadata.images.flatMap((image) => URL.parse(image, response.url)?.href ?? [])
    return { ...metadata, images } satisfies PageMetadata
  },
  (effect, _outbound, _url, timeout) => Effect.timeout(Effect.scoped(effect), timeout)
)
