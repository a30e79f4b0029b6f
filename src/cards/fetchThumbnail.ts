import { type Duration, Effect, Stream } from "effect"
import { HttpClientRequest } from "effect/http"
import type { WorkspaceId } from "../domain/ids.ts"
import { type LinkCard, maxThumbnailBytes } from "../domain/linkCard.ts"
import type { MediaStore } from "../media/MediaStore.ts"
import type { Outbound } from "../outbound/Outbound.ts"
import { maxRedirects } from "./fetchPage.ts"

const signatures: ReadonlyArray<readonly [contentType: string, start: RegExp]> = [
  ["image/jpeg", /^\xff\xd8\xff/],
  ["image/png", /^\x89PNG\r\n\x1a\n/],
  ["image/webp", /^RIFF[^]{4}WEBP/]
]

/** The type of a picture by its first bytes, whatever its server says. */
const typeOf = (bytes: Uint8Array): string | undefined => {
  const start = Buffer.from(bytes.subarray(0, 16)).toString("latin1")
  return signatures.find(([, pattern]) => pattern.test(start))?.[0]
}

/**
 * Fetches the picture of a card and stores it, because a repeated send has to carry the identical bytes. Null where it is too
 * large for Bluesky, of a type that it does not take, or can't be stored.
 */
export const fetchThumbnail = Effect.fn("fetchThumbnail")(function* (
  outbound: Outbound["Service"],
  store: MediaStore["Service"],
  workspaceId: WorkspaceId,
  url: string,
  timeout: Duration.Duration
) {
  const request = HttpClientRequest.get(url, { headers: { accept: "image/jpeg,image/png,image/webp" } })
  const maxBytes = maxThumbnailBytes + 1
  const { bytes, status } = yield* outbound.fetch({ request, timeout, maxBytes, maxRedirects, http: true })
  const contentType = typeOf(bytes)
  if (status !== 200 || contentType === undefined || bytes.byteLength > maxThumbnailBytes) return null
  const { hash, size } = yield* store.write(workspaceId, Stream.make(bytes))
  return { hash, content_type: contentType, size } satisfies LinkCard["thumb"]
})
