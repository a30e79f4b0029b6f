import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { type HttpApi, type HttpApiGroup, HttpApiScalar, OpenApi } from "effect/http-api"
import { createHash } from "node:crypto"
import { fixedContent } from "./fixedContent.ts"

const hashSource = (script: string): string => `'sha256-${createHash("sha256").update(script).digest("base64")}'`

/** Allows the page's own scripts by their hashes. They create its styles as they run, so those have no hash beforehand. */
const contentSecurityPolicy = (markup: string): string => {
  const scripts = Array.from(markup.matchAll(/<script>(.*?)<\/script>/gs), ([, script = ""]) => hashSource(script))
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

const pageContent = fixedContent((body) => ({
  contentType: "text/html; charset=utf-8",
  headers: {
    "content-security-policy": contentSecurityPolicy(new TextDecoder().decode(body)),
    "cache-control": "private, max-age=300"
  }
}))

const documentContent = fixedContent(() => ({
  contentType: "application/json",
  headers: { "cache-control": "no-cache" }
}))

/**
 * Settings of Scalar that Effect's types lack. Without them the page offers to hand the document to Scalar: by developer
 * tools on loopback addresses, by a button for Scalar's client elsewhere.
 */
const privacySettings = { showDeveloperTools: "never", hideClientButton: true }

/** The reference page of an API. It runs only its own scripts and requests nothing from other hosts. */
const pageLayer = <Id extends string, Groups extends HttpApiGroup.Constraint>(api: HttpApi.HttpApi<Id, Groups>) =>
  HttpApiScalar.layer(api, {
    path: "/docs",
    scalar: { ...privacySettings, withDefaultFonts: false, authentication: { preferredSecurityScheme: "apiKey" } }
  }).pipe(Layer.provide(pageContent.layer))

const documentLayer = <Id extends string, Groups extends HttpApiGroup.Constraint>(api: HttpApi.HttpApi<Id, Groups>) =>
  HttpRouter.add(
    "GET",
    "/openapi.json",
    Effect.sync(() => HttpServerResponse.jsonUnsafe(OpenApi.fromApi(api)))
  ).pipe(Layer.provide(documentContent.layer))

/** The OpenAPI document of an API at /openapi.json, and its reference page at /docs. */
export const referenceLayer = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
) => Layer.merge(pageLayer(api), documentLayer(api))
