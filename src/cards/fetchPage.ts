import { type Duration, Effect, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import type { Outbound } from "../outbound/Outbound.ts"
import { type PageMetadata, pageMetadataSteps } from "./pageMetadata.ts"
import { runSteps } from "../domain/steps.ts"
import { pageText } from "./pageText.ts"

/** Enough, because a page's metadata is at its start. */
const maxBytes = 512 * 1024
export const maxRedirects = 5

/** Lets other work of the process run between parts of the page. */
const readMetadata = (markup: string) => runSteps(pageMetadataSteps(markup))

class NoCard extends Schema.TaggedError<NoCard>()("NoCard", { message: Schema.String }) {}

const isPage = (contentType: string): boolean => /^\s*(text\/html|application\/xhtml\+xml)\s*(;|$)/i.test(contentType)

/** The picture's URL is absolute. A page without a title gets no card. */
export const fetchPage = Effect.fn("fetchPage")(function* (
  outbound: Outbound["Service"],
  url: string,
  timeout: Duration.Duration
) {
  const request = HttpClientRequest.get(url, { headers: { accept: "text/html,application/xhtml+xml" } })
  const response = yield* outbound.fetch({ request, timeout, maxBytes, maxRedirects, http: true })
  const contentType = response.headers["content-type"] ?? ""
  if (response.status !== 200) return yield* new NoCard({ message: `The page answered ${response.status}` })
  if (!isPage(contentType)) return yield* new NoCard({ message: "The link leads to no page" })
  const metadata = yield* readMetadata(pageText(response.bytes, contentType))
  if (metadata.title === "") return yield* new NoCard({ message: "The page has no title" })
  const image = metadata.image === undefined ? undefined : URL.parse(metadata.image, response.url)?.href
  return { ...metadata, image } satisfies PageMetadata
})
