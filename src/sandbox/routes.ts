import { Effect, Layer, Result } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Issue } from "../domain/errors.ts"
import { formatIssues } from "../domain/issues.ts"
import { mediaTypes } from "../domain/plain/limits.ts"
import { isLoopback } from "../domain/plain/loopback.ts"
import { alwaysLive, factsOf } from "../domain/plain/platforms.ts"
import type { LivePlatform } from "../domain/platform.ts"
import { standIns } from "../platforms/standIns.ts"
import { strictBody } from "./endpoint.ts"
import { consentPage, refusedConsentPage } from "./pages/consent.ts"
import { styleSheet } from "./pages/layout.ts"
import { liveScript } from "./pages/liveScript.ts"
import { missingPostPage, postPage } from "./pages/post.ts"
import { timelinesPage } from "./pages/timelines.ts"
import { Sandbox } from "./Sandbox.ts"
import type { ConsentPage } from "./StandIn.ts"
import { FaultOrder } from "./state/faults.ts"

const headers = {
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff"
}

const fileHeaders = {
  "cache-control": "private, max-age=3600",
  "content-security-policy": "default-src 'none'; sandbox",
  "cross-origin-resource-policy": "same-origin",
  "x-content-type-options": "nosniff"
}
const servedTypes: ReadonlySet<string> = new Set(mediaTypes)

const pageResponse = (markup: string, status = 200) =>
  HttpServerResponse.text(markup, { status, contentType: "text/html; charset=utf-8", headers })

const timelines = Effect.fnUntraced(function* (enabled: ReadonlyArray<LivePlatform>, only?: LivePlatform) {
  const sandbox = yield* Sandbox
  return pageResponse(timelinesPage(enabled, yield* sandbox.posts, yield* sandbox.faults.pending, only))
})

/** The parameter that has a post's key, if its path has none. */
const keyIn = (platform: LivePlatform, { url }: HttpServerRequest.HttpServerRequest): string | null =>
  new URL(url, "http://sandbox.invalid").searchParams.get(factsOf(platform).keyParameter ?? "")

/** A path names its account by id or by handle. */
const post = Effect.fnUntraced(function* (platform: LivePlatform, enabled: ReadonlyArray<LivePlatform>) {
  const sandbox = yield* Sandbox
  const request = yield* HttpServerRequest.HttpServerRequest
  const { accountId, id = keyIn(platform, request), username } = yield* HttpRouter.params
  const posts = yield* sandbox.posts
  const found = posts.find(
    (each) =>
      each.platform === platform &&
      each.id === id &&
      [undefined, each.accountId].includes(accountId) &&
      [undefined, each.username].includes(username)
  )
  return found === undefined
    ? pageResponse(missingPostPage(enabled), 404)
    : pageResponse(postPage(found, posts, enabled))
})

/** Served with the type of its first bytes, and a policy that runs nothing. */
const file = Effect.gen(function* () {
  const sandbox = yield* Sandbox
  const params = yield* HttpRouter.params
  const found = yield* sandbox.file(params["id"] ?? "")
  return found === undefined
    ? HttpServerResponse.text("", { status: 404, headers: fileHeaders })
    : HttpServerResponse.uint8Array(found.bytes, {
        contentType: servedTypes.has(found.contentType) ? found.contentType : "application/octet-stream",
        headers: fileHeaders
      })
})

/** Redirects only to the request's host, so that it is not an open redirect. */
const consent = (
  platform: LivePlatform,
  { allows, clientId, otherClientId, usesPkce }: ConsentPage,
  enabled: ReadonlyArray<LivePlatform>
) =>
  Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
    const sandbox = yield* Sandbox
    const { searchParams: query } = new URL(request.url, "http://sandbox.invalid")
    const redirectUri = query.get("redirect_uri") ?? ""
    const redirect = URL.parse(redirectUri)
    const challenge = query.get("code_challenge") ?? ""
    const state = query.get("state") ?? ""
    const isComplete =
      query.get("response_type") === "code" &&
      [clientId, otherClientId].includes(query.get("client_id") ?? query.get("client_key") ?? "") &&
      (usesPkce === false || (query.get("code_challenge_method") === "S256" && challenge !== "")) &&
      state !== ""
    const leadsBack =
      redirect !== null && /^https?:$/.test(redirect.protocol) && redirect.host === request.headers["host"]
    if (!isComplete || !leadsBack) return pageResponse(refusedConsentPage(platform, enabled), 400)
    const code = yield* sandbox.consent(platform, { redirectUri, challenge })
    return pageResponse(consentPage({ enabled, platform, allows, redirectUri, state, code }))
  })

const problem = (status: number, title: string, code: string, detail: string, errors: ReadonlyArray<Issue> = []) =>
  HttpServerResponse.jsonUnsafe(
    { type: "about:blank", title, status, code, detail, ...(errors.length === 0 ? {} : { errors }) },
    { status, contentType: "application/problem+json" }
  )

const readOrder = strictBody(FaultOrder)

const orderFault = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
  const sandbox = yield* Sandbox
  // Prevents CSRF: a page of another site can make a browser send a form here, but not JSON.
  if (!/^application\/json\b/i.test(request.headers["content-type"] ?? "")) {
    return problem(415, "Unsupported Media Type", "unsupported_media_type", "Send the order as application/json")
  }
  const order = readOrder(yield* Effect.orElseSucceed(request.text, () => ""))
  if (Result.isFailure(order)) {
    return problem(400, "Bad Request", "invalid_request", formatIssues(order.failure, "body"), order.failure)
  }
  return HttpServerResponse.jsonUnsafe({ data: yield* sandbox.faults.add(order.success) }, { status: 201 })
})

const listFaults = Effect.gen(function* () {
  const sandbox = yield* Sandbox
  return HttpServerResponse.jsonUnsafe({ data: yield* sandbox.faults.pending })
})

const clearFaults = Effect.gen(function* () {
  const sandbox = yield* Sandbox
  return HttpServerResponse.jsonUnsafe({ data: { cleared: yield* sandbox.faults.clear } })
})

/** A route has no query. */
const withoutQuery = (path: `/${string}`): `/${string}` => `/${path.slice(1).split("?", 1).join("")}`

const siteRoutes = (enabled: ReadonlyArray<LivePlatform>) =>
  Object.values(standIns).flatMap(({ consent: own, otherConsent, otherPostPaths = [], platform, postPath }) => {
    const path = withoutQuery(postPath({ accountId: ":accountId", id: ":id", username: ":username" }))
    return [
      ...[path, ...otherPostPaths].map((each) =>
        HttpRouter.route("GET", `/sandbox/${platform}${each}`, post(platform, enabled))
      ),
      ...[own, otherConsent].flatMap((page) =>
        page === undefined
          ? []
          : [HttpRouter.route("GET", `/sandbox/${platform}${page.path}`, consent(platform, page, enabled))]
      )
    ]
  })

interface SandboxRoutesOptions<R> {
  readonly baseUrl?: string
  /** The platforms whose stand-ins are shown. */
  readonly enabled?: ReadonlyArray<LivePlatform>
  readonly beforeTimelines?: Effect.Effect<void, never, R>
}

/** Refuses names that only resolve to this machine (DNS rebinding): a page of such a site could read the timelines. */
const ownHostOnly = (baseUrl: string | undefined) => {
  const own = baseUrl === undefined ? undefined : new URL(baseUrl).host
  const isOwn = (host: string) => host === own || isLoopback(host.replace(/:\d+$/, ""))
  return HttpRouter.middleware(
    Effect.succeed(<E, R>(handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers: sent }) =>
        isOwn(sent["host"] ?? "") ? handler : Effect.succeed(HttpServerResponse.empty({ status: 404 }))
      )
    )
  ).layer
}

export const sandboxRoutesLayer = <R = never>({
  baseUrl,
  beforeTimelines = Effect.void,
  enabled = alwaysLive
}: SandboxRoutesOptions<R> = {}) =>
  Layer.mergeAll(
    HttpRouter.add("GET", "/sandbox", Effect.andThen(beforeTimelines, timelines(enabled))),
    HttpRouter.addAll(
      enabled.map((platform) =>
        HttpRouter.route("GET", `/sandbox/${platform}`, Effect.andThen(beforeTimelines, timelines(enabled, platform)))
      )
    ),
    HttpRouter.add(
      "GET",
      "/sandbox/style.css",
      HttpServerResponse.text(styleSheet, { contentType: "text/css; charset=utf-8" })
    ),
    HttpRouter.add(
      "GET",
      "/sandbox/live.js",
      HttpServerResponse.text(liveScript, { contentType: "text/javascript; charset=utf-8" })
    ),
    HttpRouter.addAll(siteRoutes(enabled)),
    HttpRouter.add("GET", "/sandbox/media/:id", file),
    HttpRouter.add("POST", "/sandbox/faults", orderFault),
    HttpRouter.add("GET", "/sandbox/faults", listFaults),
    HttpRouter.add("DELETE", "/sandbox/faults", clearFaults)
  ).pipe(Layer.provide(ownHostOnly(baseUrl)))
