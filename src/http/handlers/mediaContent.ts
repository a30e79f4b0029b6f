import { Effect, Result } from "effect"
import { HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import * as Problem from "../../api/problems.ts"
import { MediaMissing, NotFound } from "../../domain/errors.ts"
import type { MediaId, WorkspaceId } from "../../domain/ids.ts"
import { MediaStore } from "../../media/store/MediaStore.ts"
import { Repo } from "../../repo/Repo.ts"
import { fail, orProblem } from "../problems.ts"
import { fileResponse } from "../fileResponse.ts"
import { addHeaders, matchesEtag } from "../responseHeaders.ts"
import { parseRange } from "../../media/store/byteRange.ts"
import { inWorkspace } from "./shared.ts"

type Request = HttpServerRequest.HttpServerRequest

interface Bytes {
  readonly hash: string
  readonly size: number
  readonly contentType: string
}

/** If a browser opens the bytes directly, nothing in them may run. */
const contentSecurityPolicy = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; media-src 'self'"

const notArrived = new NotFound({ message: "The file has not arrived yet, or could not be fetched" })
const noThumbnail = new NotFound({ message: "This file has no thumbnail" })

const notSatisfiable = (size: number) =>
  Effect.andThen(
    addHeaders({ "content-range": `bytes */${size}` }),
    fail(Problem.RangeNotSatisfiable, { detail: `The file has ${size} bytes` })
  )

const respond = Effect.fnUntraced(function* (
  { headers: sent }: Request,
  workspaceId: WorkspaceId,
  { contentType, hash, size }: Bytes,
  cacheControl: string
) {
  const store = yield* MediaStore
  const etag = `"${hash}"`
  const headers = {
    etag,
    "accept-ranges": "bytes",
    "cache-control": cacheControl,
    "content-security-policy": contentSecurityPolicy
  }
  if (matchesEtag(sent["if-none-match"], etag)) return HttpServerResponse.empty({ status: 304, headers })
  const mayBePart = sent["if-range"] === undefined || sent["if-range"].trim() === etag
  const parsed = parseRange(mayBePart ? sent["range"] : undefined, size)
  if (Result.isFailure(parsed)) return yield* notSatisfiable(size)
  if (!(yield* orProblem(store.has(workspaceId, hash))))
    return yield* orProblem(Effect.fail(new MediaMissing({ hash })))
  const range = parsed.success
  return fileResponse(store.read(workspaceId, hash, range), { contentType, size, range, headers })
})

export const mediaContentLayer = HttpApiBuilder.group(
  Api,
  "mediaContent",
  Effect.fn(function* (handlers) {
    const { media } = yield* Repo
    const store = yield* MediaStore

    const serve = (
      request: Request,
      id: MediaId,
      choose: (located: Effect.Success<ReturnType<typeof media.locate>>) => Effect.Effect<Bytes, NotFound>,
      cacheControl: string
    ) =>
      inWorkspace((workspaceId) =>
        orProblem(Effect.flatMap(media.locate(workspaceId, id), choose)).pipe(
          Effect.flatMap((bytes) => respond(request, workspaceId, bytes, cacheControl)),
          Effect.provideService(MediaStore, store)
        )
      )

    return handlers
      .handleRaw("content", ({ params: { id }, request }) =>
        serve(
          request,
          id,
          ({ original }) => (original === null ? Effect.fail(notArrived) : Effect.succeed(original)),
          "private, no-cache"
        )
      )
      .handleRaw("thumbnail", ({ params: { id }, request }) =>
        serve(
          request,
          id,
          ({ renditions: { thumbnail } }) =>
            thumbnail === undefined ? Effect.fail(noThumbnail) : Effect.succeed(thumbnail),
          "private, max-age=31536000, immutable"
        )
      )
  })
)
