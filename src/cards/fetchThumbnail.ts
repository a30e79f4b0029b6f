import { type Duration, Effect, Stream } from "effect"
import { HttpClientRequest } from "effect/http"
import type { WorkspaceId } from "../domain/ids.ts"
import { type LinkCard, maxThumbnailBytes } from "../domain/linkCard.ts"
import type { MediaStore } from "../media/MediaStore.ts"
import { sniff } from "../media/sniff.ts"
import type { Outbound } from "../outbound/Outbound.ts"
import { maxRedirects } from "./fetchPage.ts"

/** What Bluesky shows of a card. */
const accepted = new Set(["image/jpeg", "image/png", "image/webp"])

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
  if (status !== 200 || bytes.byteLength > maxThumbnailBytes) return null
  // By the bytes, whatever the server says.
  const contentType = yield* sniff(bytes)
  if (!accepted.has(contentType)) return null
  const { hash, size } = yield* store.write(workspaceId, Stream.make(bytes))
  return { hash, content_type: contentType, size } satisfies LinkCard["thumb"]
})
