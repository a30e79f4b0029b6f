import { Effect, Layer, Option, Redacted, Result } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { MediaStore } from "../../media/store/MediaStore.ts"
import { Repo } from "../../repo/Repo.ts"
import { makeAddressLimit } from "../caller/addressLimit.ts"
import { parseRange } from "../../media/store/byteRange.ts"
import { fileResponse } from "../fileResponse.ts"
import { wholeSeconds } from "../responseHeaders.ts"

export const fileLinkPath = "/files/"

/** A platform's crawler fetches the files of many posts, some of them twice or in ranges, from one network. */
export const maxFetchesPerMinute = 1_200

const isToken = /^[\w-]{43}$/

/** No cookies, no index, no copies: the file belongs to a post that may not be out yet. */
const headers = {
  "accept-ranges": "bytes",
  "cache-control": "private, no-store",
  "content-security-policy": "sandbox; default-src 'none'",
  "cross-origin-resource-policy": "cross-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-robots-tag": "noindex, nofollow, noarchive"
}

const plain = (status: number, more: Readonly<Record<string, string>> = {}) =>
  HttpServerResponse.empty({ status, headers: { ...headers, ...more } })

/**
 * Serves one file to whoever has its link: a platform that takes no bytes fetches it from here. The API's limits don't
 * count these requests.
 */
const serve = (limit: ReturnType<typeof makeAddressLimit>) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const isHead = request.method === "HEAD"
    const wait = yield* limit.wait(request)
    if (Option.isSome(wait)) return plain(429, { "retry-after": wholeSeconds(wait.value) })
    yield* limit.count(request)
    const { token = "" } = yield* HttpRouter.params
    if (!isToken.test(token)) return plain(404)
    const found = yield* (yield* Repo).fileLinks.find(Redacted.make(token))
    if (Option.isNone(found)) return plain(404)
    const { contentType, hash, size, workspaceId } = found.value
    const store = yield* MediaStore
    // The file has no validator, so If-Range matches nothing (RFC 9110, section 13.1.5).
    const mayBePart = !isHead && request.headers["if-range"] === undefined
    const parsed = parseRange(mayBePart ? request.headers["range"] : undefined, size)
    if (Result.isFailure(parsed)) return plain(416, { "content-range": `bytes */${size}` })
    if (!(yield* store.has(workspaceId, hash))) return plain(404)
    if (isHead) return plain(200, { "content-type": contentType, "content-length": String(size) })
    const range = parsed.success
    return fileResponse(store.read(workspaceId, hash, range), { contentType, size, range, headers })
  }).pipe(Effect.orElseSucceed(() => plain(503, { "retry-after": "5" })))

export const fileLinksLayer = Layer.unwrap(
  Effect.gen(function* () {
    const stores = yield* Effect.context<Repo | MediaStore>()
    const limit = makeAddressLimit({ perMinute: maxFetchesPerMinute })
    return HttpRouter.add("GET", `${fileLinkPath}:token`, Effect.provideContext(serve(limit), stores))
  })
)
