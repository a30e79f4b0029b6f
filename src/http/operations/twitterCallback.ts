import { Effect, Option } from "effect"
import { HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { AccountLinking, twitterCallbackPath } from "../../platforms/AccountLinking.ts"
import { Repo } from "../../repo/Repo.ts"

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }
const escape = (text: string) => text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? "")

const page = (status: number, title: string, message: string) =>
  HttpServerResponse.text(
    `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escape(title)}</title></head>
<body><h1>${escape(title)}</h1><p>${escape(message)}</p></body>
</html>
`,
    { status, contentType: "text/html; charset=utf-8" }
  )

const notConnected = (message: string) => page(400, "Not connected", message)

const stale = notConnected(
  "This link was used already, or it is too old. Begin again with: integration connect twitter"
)

const unreachable = page(503, "Not connected", "The service can't reach its database. Begin again in a moment.")

const finish = Effect.fnUntraced(function* (code: string, state: string) {
  const { oauthStates, integrations } = yield* Repo
  const connections = yield* AccountLinking
  const authorization = yield* oauthStates.take(state)
  if (Option.isNone(authorization)) return stale
  const { verifier, workspaceId } = authorization.value
  const account = yield* connections.finishTwitterLink({ code, verifier })
  yield* integrations.connect(workspaceId, { platform: "twitter", ...account })
  return page(200, "Connected", `Posts can now go out as @${account.username}. You can close this window.`)
})

/** Where X sends a person back to after they agreed, or did not. */
export const twitterCallback = HttpRouter.add(
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
        DatabaseUnavailable: () => Effect.succeed(unreachable),
        CredentialsUnreadable: () => Effect.succeed(stale)
      }),
      Effect.catch(({ message }) => Effect.succeed(notConnected(message)))
    )
  })
)
