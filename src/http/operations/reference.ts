import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { type HttpApi, type HttpApiGroup, HttpApiScalar } from "effect/http-api"
import { createHash } from "node:crypto"

const hashOf = (script: string): string => `'sha256-${createHash("sha256").update(script).digest("base64")}'`

/** Only the page's own scripts run. Its styles are made by them as it goes, so those can't be told by their hashes. */
const policyFor = (markup: string): string => {
  const scripts = Array.from(markup.matchAll(/<script>(.*?)<\/script>/gs), ([, script = ""]) => hashOf(script))
  return [
    "default-src 'none'",
    `script-src ${scripts.join(" ")}`,
    "style-src 'unsafe-inline'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join("; ")
}

/** The page as bytes that all answers share: clients that are slow to read these megabytes then cost no memory each. */
const asPage = (response: HttpServerResponse.HttpServerResponse): HttpServerResponse.HttpServerResponse => {
  if (response.body._tag !== "Uint8Array") return response
  const { body } = response.body
  return HttpServerResponse.uint8Array(body, {
    contentType: "text/html; charset=utf-8",
    headers: {
      "content-security-policy": policyFor(new TextDecoder().decode(body)),
      "cache-control": "private, max-age=300"
    }
  })
}

const strict = HttpRouter.middleware(
  Effect.sync(() => {
    let page: HttpServerResponse.HttpServerResponse | undefined
    return <E, R>(handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
      Effect.map(handler, (response) => (page ??= asPage(response)))
  })
)

/**
 * Not among the settings that Effect knows. On loopback addresses there would be tools that hand the document to Scalar,
 * elsewhere a button that has Scalar's own client fetch it.
 */
const own = { showDeveloperTools: "never", hideClientButton: true }

/** The reference page of an API, which runs no script but its own and asks no other host for anything. */
export const reference = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
) =>
  HttpApiScalar.layer(api, {
    path: "/docs",
    scalar: { ...own, withDefaultFonts: false, authentication: { preferredSecurityScheme: "apiKey" } }
  }).pipe(Layer.provide(strict.layer))
