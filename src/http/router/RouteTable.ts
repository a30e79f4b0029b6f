import { Context, Effect, Layer, Predicate } from "effect"
import { FindMyWay, HttpMethod, HttpRouter } from "effect/http"

/**
 * Every identifier fits, so that one that is far too long is answered as malformed and not as an unknown address. An
 * address has one spelling, so that a proxy that guards it guards it whole.
 */
export const routerConfig = { maxParamLength: 16_384, caseSensitive: true, ignoreDuplicateSlashes: false }

/** From a request's method and address to the route's template. */
type Table = FindMyWay.Router<string>

const record = (table: Table, method: string, path: string, template = path): void => {
  const pattern: FindMyWay.PathInput = path.startsWith("/") ? `/${path.slice(1)}` : "*"
  if (method === "*") table.all(pattern, template)
  else table.on(method, pattern, template)
  if (path.endsWith("/*")) record(table, method, path === "/*" ? "/" : path.slice(0, -2), template)
}

const recording = (router: HttpRouter.HttpRouter, table: Table, prefix = ""): HttpRouter.HttpRouter =>
  HttpRouter.HttpRouter.of({
    ...router,
    add: (method, path, handler, options) => {
      record(table, method, HttpRouter.prefixPath(path, prefix))
      return router.add(method, path, handler, options)
    },
    addAll: (routes) => {
      for (const route of routes) record(table, route.method, HttpRouter.prefixPath(route.path, prefix))
      return router.addAll(routes)
    },
    prefixed: (inner) => recording(router.prefixed(inner), table, HttpRouter.prefixPath(inner, prefix))
  })

const methodsOf = (table: Table, url: string): ReadonlyArray<string> => {
  const served = Array.from(HttpMethod.all).filter((method) => Predicate.isNotUndefined(table.find(method, url)))
  if (served.length === 0) return []
  return Array.from(new Set([...served, ...(served.includes("GET") ? ["HEAD"] : []), "OPTIONS"]))
}

const routeOf = (table: Table, method: string, url: string): string | undefined =>
  (table.find(method, url) ?? (method === "HEAD" ? table.find("GET", url) : undefined))?.handler

/** What is served where: Effect's router knows it and does not tell. */
export class RouteTable extends Context.Service<
  RouteTable,
  {
    /** The methods for a request's address, or none where nothing is served. */
    readonly methodsOf: (url: string) => ReadonlyArray<string>
    /** The template of the route that a request goes to, such as `/v1/posts/:id`, or none. */
    readonly routeOf: (method: string, url: string) => string | undefined
    /** The router that routes have to be added to so that the table knows them. */
    readonly recording: (router: HttpRouter.HttpRouter) => HttpRouter.HttpRouter
  }
>()("social-publisher/http/RouteTable") {
  static readonly layer = Layer.sync(RouteTable, () => {
    const table = FindMyWay.make<string>(routerConfig)
    return {
      methodsOf: (url) => methodsOf(table, url),
      routeOf: (method, url) => routeOf(table, method, url),
      recording: (router) => recording(router, table)
    }
  })

  /** The router whose routes the table knows. */
  static readonly router = Layer.effect(
    HttpRouter.HttpRouter,
    Effect.gen(function* () {
      const table = yield* RouteTable
      return table.recording(yield* HttpRouter.HttpRouter)
    })
  )
}
