import { Effect, Option } from "effect"
import { HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { html } from "../../domain/html.ts"
import { AccountLinking, twitterCallbackPath } from "../../platforms/AccountLinking.ts"
import { Repo } from "../../repo/Repo.ts"

const page = (status: number, title: string, message: string) =>
  HttpServerResponse.text(
    html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title></head>
<body><h1>${title}</h1><p>${message}</p></body>
</html>
`.markup,
    { status, contentType: "text/html; charset=utf-8" }
  )

const notConnected = (message: string) => page(400, "Not connected", message)

const expired = notConnected(
  "This link was used already, or it is too old. Begin again with: integration connect twitter"
)

const unavailable = page(503, "Not connected", "The service can't reach its database. Begin again in a moment.")

const finish = Effect.fnUntraced(function* (code: string, state: string) {
  const { oauthStates, integrations } = yield* Repo
  const accountLinking = yield* AccountLinking
  const taken = yield* oauthStates.take(state)
  if (Option.isNone(taken)) return expired
  const { verifier, workspaceId } = taken.value
  const account = yield* accountLinking.finishTwitterLink({ code, verifier })
  yield* integrations.connect(workspaceId, { platform: "twitter", ...account })
  return page(200, "Connected", `Posts can now go out as @${account.username}. You can close this window.`)
})

/** The OAuth redirect URI: X sends a person back here after they agreed or declined. */
export const twitterCallbackLayer = HttpRouter.add(
  "GET",
  twitterCallbackPath,
  Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
    const { searchParams: query } = new URL(request.url, "http://service.invalid")
    const code = query.get("code")
    const state = query.get("state")
    if (query.has("error")) return notConnected("X did not give access: the request was declined.")
    if (code === null || state === null) return notConnected("X did not send what is needed. Begin again.")
    return yield* finish(code, state).pipe(
      Effect.catchTags({
        DatabaseUnavailable: () => Effect.succeed(unavailable),
        CredentialsUnreadable: () => Effect.succeed(expired)
      }),
      Effect.catch(({ message }) => Effect.succeed(notConnected(message)))
    )
  })
)
