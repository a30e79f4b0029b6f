import { Duration, Effect, Exit, Layer, Schema } from "effect"
import { HttpRouter, type HttpServerRequest, HttpServerRespondable, HttpServerResponse } from "effect/http"
import { dashboardPaths } from "../../api/dashboardPaths.ts"
import * as Problem from "../../api/problems.ts"
import { html, type Html } from "../../domain/html.ts"
import { namesLoopback } from "../caller/loopbackHost.ts"
import { fail } from "../problems.ts"
import { contentSecurityPolicy, hashSource } from "./contentSecurity.ts"
import { frameStyle, loadingFrame } from "./loadingFrame.ts"
import { makeRepresentations, represent, type Representations } from "./precompressed.ts"

export const DashboardBundle = Schema.Struct({
  script: Schema.String,
  styles: Schema.String,
  icon: Schema.String,
  assets: Schema.Record(Schema.String, Schema.String)
})
export type DashboardBundle = typeof DashboardBundle.Type

export class DashboardMissing extends Schema.TaggedError<DashboardMissing>()("DashboardMissing", {
  message: Schema.String
}) {}

export interface DashboardOptions {
  /** This effect is repeated until it succeeds, one run at a time. */
  readonly bundle: Effect.Effect<DashboardBundle, DashboardMissing>
  /** True if the bundle may change between requests. */
  readonly isLive?: boolean
  /** True if pages on a loopback address let people continue as the demo's user. */
  readonly demo: boolean
}

const pageHeaders = {
  "content-security-policy": contentSecurityPolicy({
    sources: [
      "script-src 'self'",
      `style-src 'self' ${hashSource(frameStyle)}`,
      "img-src 'self' blob:",
      "media-src 'self' blob:",
      "connect-src 'self'"
    ],
    formAction: "'self'"
  }),
  "cross-origin-opener-policy": "same-origin"
}

/** Names contain hashes of the content, so the content of a name never changes. */
const assetHeaders = { "cache-control": "public, max-age=31536000, immutable" }

const contentTypes: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml"
}

const contentTypeOf = (name: string): string => contentTypes[name.split(".").at(-1) ?? ""] ?? "application/octet-stream"

// The stylesheet comes after the loading frame, because browsers paint nothing after a stylesheet until it has loaded.
const page = ({ icon, script, styles }: DashboardBundle, demo: boolean): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
${demo ? html`<meta name="demo" content="on">\n` : []}<title>Social publisher</title>
<link rel="icon" href="/assets/${icon}" type="image/svg+xml">
<style>${{ markup: frameStyle }}</style>
</head>
<body>
<div id="app">${loadingFrame}</div>
<link rel="stylesheet" href="/assets/${styles}">
<script type="module" src="/assets/${script}"></script>
<noscript>The dashboard needs JavaScript. The API is described at <a href="/docs">/docs</a>.</noscript>
</body>
</html>
`

const encoder = new TextEncoder()

const represented = (text: string, contentType: string, headers: Readonly<Record<string, string>>) =>
  makeRepresentations({ bytes: encoder.encode(text), contentType, headers })

const makeDocument = (bundle: DashboardBundle, demo: boolean) =>
  represented(page(bundle, demo).markup, "text/html; charset=utf-8", pageHeaders)

const makeFiles = Effect.fnUntraced(function* (bundle: DashboardBundle) {
  const assets = yield* Effect.forEach(Object.entries(bundle.assets), ([name, text]) =>
    Effect.map(
      represented(text, contentTypeOf(name), assetHeaders),
      (representations): readonly [string, Representations] => [name, representations]
    )
  )
  return {
    assets: new Map(assets),
    plain: yield* makeDocument(bundle, false),
    withDemo: yield* makeDocument(bundle, true)
  }
})

type Files = Effect.Success<ReturnType<typeof makeFiles>>

/** After a failure, a request tries again only once this time has passed. */
const retryAfter = Duration.seconds(5)

const unavailable = Effect.catch(
  fail(Problem.Unavailable, { detail: "The dashboard could not be prepared; what happened was logged" }),
  HttpServerRespondable.toResponse
)

/**
 * Serves the same HTML document at the path of every page, and scripts and styles under /assets. Reads the files in the
 * background, immediately. Requests for pages wait for them.
 */
export const dashboardLayer = ({ bundle, demo, isLive = false }: DashboardOptions) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const files = yield* Effect.cachedWithTTL(
        Effect.flatMap(bundle, makeFiles).pipe(
          Effect.tapError((error) => Effect.logError("There is no dashboard", error)),
          Effect.uninterruptible
        ),
        (exit) => (Exit.isFailure(exit) ? retryAfter : isLive ? Duration.zero : Duration.infinity)
      )
      const withFiles = <R>(serve: (ready: Files) => Effect.Effect<HttpServerResponse.HttpServerResponse, never, R>) =>
        Effect.matchEffect(files, { onFailure: () => unavailable, onSuccess: serve })
      yield* Effect.forkScoped(Effect.ignore(files))

      const serveDocument = (request: HttpServerRequest.HttpServerRequest) =>
        withFiles(({ plain, withDemo }) => represent(demo && namesLoopback(request) ? withDemo : plain))

      const serveAsset = withFiles(
        Effect.fnUntraced(function* ({ assets }) {
          const { name = "" } = yield* HttpRouter.params
          const representations = assets.get(name)
          return representations === undefined
            ? HttpServerResponse.empty({ status: 404 })
            : yield* represent(representations)
        })
      )

      return Layer.mergeAll(
        HttpRouter.add("GET", "/assets/:name", serveAsset),
        ...dashboardPaths.map((path) => HttpRouter.add("GET", path, serveDocument))
      )
    })
  )
