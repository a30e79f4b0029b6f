import { Effect, Layer } from "effect"
import { HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { Sandbox } from "./Sandbox.ts"
import { sandboxApplication } from "./twitter/tokenEndpoint.ts"
import { consentPage, refusedConsentPage } from "./pages/consentPage.ts"
import { faultRoutes } from "./faultRoutes.ts"
import { missingPage, postPage } from "./pages/postPage.ts"
import { style } from "./pages/style.ts"
import { timelinesPage } from "./pages/timelinesPage.ts"

const headers = {
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff"
}

const page = (markup: string, status = 200) =>
  HttpServerResponse.text(markup, { status, contentType: "text/html; charset=utf-8", headers })

const timelines = Effect.gen(function* () {
  const sandbox = yield* Sandbox
  return page(timelinesPage(yield* sandbox.posts, yield* sandbox.faults.pending))
})

const post = Effect.gen(function* () {
  const sandbox = yield* Sandbox
  const params = yield* HttpRouter.params
  const found = (yield* sandbox.posts).find(
    (each) =>
      each.id === params["id"] &&
      (each.platform === "twitter" ? each.username === params["username"] : each.accountId === params["did"])
  )
  return found === undefined ? page(missingPage(), 404) : page(postPage(found))
})

/** Leads back only to the host that it was asked through, so that it can't be used to lead people elsewhere. */
const consent = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
  const sandbox = yield* Sandbox
  const { searchParams: query } = new URL(request.url, "http://sandbox.invalid")
  const redirectUri = query.get("redirect_uri") ?? ""
  const redirect = URL.parse(redirectUri)
  const challenge = query.get("code_challenge") ?? ""
  const state = query.get("state") ?? ""
  const complete =
    query.get("response_type") === "code" &&
    query.get("client_id") === sandboxApplication.clientId &&
    query.get("code_challenge_method") === "S256" &&
    challenge !== "" &&
    state !== ""
  const leadsBack =
    redirect !== null && /^https?:$/.test(redirect.protocol) && redirect.host === request.headers["host"]
  if (!complete || !leadsBack) return page(refusedConsentPage(), 400)
  const code = yield* sandbox.consent({ redirectUri, challenge })
  return page(consentPage({ redirectUri, state, code }))
})

/** The sandbox's pages and its fault orders, for the server that the service itself is on. */
export const SandboxRoutes = Layer.mergeAll(
  HttpRouter.add("GET", "/sandbox", timelines),
  HttpRouter.add(
    "GET",
    "/sandbox/style.css",
    HttpServerResponse.text(style, { contentType: "text/css; charset=utf-8" })
  ),
  HttpRouter.add("GET", "/sandbox/twitter/i/oauth2/authorize", consent),
  HttpRouter.add("GET", "/sandbox/twitter/:username/status/:id", post),
  HttpRouter.add("GET", "/sandbox/bluesky/profile/:did/post/:id", post),
  faultRoutes
)
