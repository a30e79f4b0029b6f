import { Effect } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import type { IntegrationId } from "../../domain/ids.ts"
import { Repo } from "../../repo/Repo.ts"
import { orProblem } from "../problems.ts"
import { matchesEtag } from "../responseHeaders.ts"
import { inWorkspace } from "./shared.ts"

const headers = {
  "cache-control": "private, max-age=3600",
  // If a browser opens the picture directly, nothing in it may run.
  "content-security-policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self'"
}

export const serveAvatar = Effect.fnUntraced(function* (
  { headers: sent }: HttpServerRequest.HttpServerRequest,
  id: IntegrationId
) {
  const { avatars } = yield* Repo
  const { content, hash } = yield* orProblem(inWorkspace((workspaceId) => avatars.find(workspaceId, id)))
  const etag = `"${hash}"`
  return matchesEtag(sent["if-none-match"], etag)
    ? HttpServerResponse.empty({ status: 304, headers: { ...headers, etag } })
    : HttpServerResponse.uint8Array(content, { contentType: "image/webp", headers: { ...headers, etag } })
})
