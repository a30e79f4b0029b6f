import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { type HttpApi, type HttpApiGroup, HttpApiScalar, OpenApi } from "effect/http-api"
import { contentSecurityPolicy, hashSource } from "./contentSecurity.ts"
import { precompressed } from "./precompressed.ts"

/** Allows scripts by their hashes. Styles can't have hashes, because the scripts create them at run time. */
const pageHeaders = (page: Uint8Array) => {
  const markup = new TextDecoder().decode(page)
  const scripts = Array.from(markup.matchAll(/<script>(.*?)<\/script>/gs), ([, script = ""]) => hashSource(script))
  const sources = [`script-src ${scripts.join(" ")}`, "style-src 'unsafe-inline'", "connect-src 'self'"]
  return { "content-security-policy": contentSecurityPolicy({ sources, formAction: "'none'" }) }
}

const path = "/docs"

/**
 * Settings of Scalar that Effect's types lack. Without them, the page offers to send the document to Scalar: in its
 * developer tools on loopback addresses, and with a button for Scalar's client elsewhere.
 */
const privacySettings = { showDeveloperTools: "never", hideClientButton: true }

/**
 * Serves the API's reference. The page runs only its own scripts and requests nothing from other hosts. It has
 * megabytes, which are loaded at the first request.
 */
export const referenceLayer = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
) => {
  const page = HttpApiScalar.layer(api, {
    path,
    scalar: { ...privacySettings, withDefaultFonts: false, authentication: { preferredSecurityScheme: "apiKey" } }
  })
  // A separate router makes the page, because the service's router accepts no new routes while it runs.
  const load = HttpRouter.toHttpEffect(page).pipe(
    Effect.provideServiceEffect(Layer.CurrentMemoMap, Layer.makeMemoMap),
    Effect.scoped,
    Effect.uninterruptible
  )
  return HttpRouter.use((router) =>
    Effect.flatMap(Effect.cached(load), (loaded) => router.add("GET", path, Effect.flatten(loaded)))
  ).pipe(Layer.provide(precompressed("text/html; charset=utf-8", pageHeaders).layer))
}

export const documentLayer = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
) =>
  HttpRouter.add(
    "GET",
    "/openapi.json",
    Effect.sync(() => HttpServerResponse.jsonUnsafe(OpenApi.fromApi(api)))
  ).pipe(Layer.provide(precompressed("application/json").layer))
