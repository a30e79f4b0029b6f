import { Effect, Result } from "effect"
import { Headers, HttpClientRequest } from "effect/http"
import type { Publication } from "../../src/domain/publishing/platformError.ts"
import type { Call } from "../../src/platforms/call.ts"
import type { PlatformAdapter, Prepared, SendFailure } from "../../src/platforms/PlatformClient.ts"
import { end, type OpenAccess, type Through } from "../../src/platforms/steps.ts"

/** A scripted adapter's sends. Each is one request with the result of `publish`. */
export const scriptedSend = (
  publish: (prepared: Prepared, access: OpenAccess) => Effect.Effect<Publication, SendFailure>,
  through: Through = "configured"
): Pick<PlatformAdapter, "calls" | "send"> => {
  const sends = new Map<HttpClientRequest.HttpClientRequest, Effect.Effect<void>>()
  const call: Call = (request) =>
    Effect.as(sends.get(request) ?? Effect.die("An unexpected request"), {
      status: 200,
      headers: Headers.empty,
      body: null
    })
  return {
    calls: { configured: call, guarded: call },
    send: (prepared, access) => {
      const request = HttpClientRequest.post("https://platform.test")
      let came: Result.Result<Publication, SendFailure> | undefined
      sends.set(
        request,
        Effect.map(Effect.result(publish(prepared, access)), (result) => {
          came = result
        })
      )
      return {
        _tag: "Request",
        request,
        through,
        shows: "post",
        next: () => end(came ?? Result.succeed({ platformPostId: null, url: null }))
      }
    }
  }
}
