import { Context, Effect, Layer, Predicate } from "effect"
import { FindMyWay, HttpMethod, HttpRouter } from "effect/http"

export const routerConfig = {
  // Longer than any path that Node reads, so that an id that is too long gets a 400 for its form, not a 404.
  maxParamLength: 16_384,
  // Strict, so that a proxy that protects a path protects every spelling of it.
  caseSensitive: true,
  ignoreDuplicateSlashes: false
}

type Table = FindMyWay.Router<string>

const record = (table: Table, method: string, path: string, template = path): void => {
  // If a router has a prefix, the path of its root is empty.
  const pattern: FindMyWay.PathInput = path === "*" ? "*" : `/${path.replace(/^\//, "")}`
  if (method === "*") table.all(pattern, template)
  else table.on(method, pattern, template)
  if (path.endsWith("/*")) record(table, method, path === "/*" ? "/" : path.slice(0, -2), template)
}

const recordRoutes = (router: HttpRouter.HttpRouter, table: Table, prefix = ""): HttpRouter.HttpRouter =>
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
    prefixed: (inner) => recordRoutes(router.prefixed(inner), table, HttpRouter.prefixPath(inner, prefix))
  })

const findMethods = (table: Table, url: string): ReadonlyArray<string> => {
  const served = Array.from(HttpMethod.all).filter((method) => Predicate.isNotUndefined(table.find(method, url)))
  if (served.length === 0) return []
  return Array.from(new Set([...served, ...(served.includes("GET") ? ["HEAD"] : []), "OPTIONS"]))
}

const findRoute = (table: Table, method: string, url: string): string | undefined =>
  (table.find(method, url) ?? (method === "HEAD" ? table.find("GET", url) : undefined))?.handler

/** A copy of the routes, because Effect's router can't list them or look them up. */
export class RouteTable extends Context.Service<
  RouteTable,
  {
    /** Empty if the service has nothing at the URL. */
    readonly findMethods: (url: string) => ReadonlyArray<string>
    readonly findRoute: (method: string, url: string) => string | undefined
    readonly recordRoutes: (router: HttpRouter.HttpRouter) => HttpRouter.HttpRouter
  }
>()("social-publisher/http/RouteTable") {
  static readonly layer = Layer.sync(RouteTable, () => {
    const table = FindMyWay.make<string>(routerConfig)
    return {
      findMethods: (url) => findMethods(table, url),
      findRoute: (method, url) => findRoute(table, method, url),
      recordRoutes: (router) => recordRoutes(router, table)
    }
  })

  static readonly routerLayer = Layer.effect(
    HttpRouter.HttpRouter,
    Effect.gen(function* () {
      const table = yield* RouteTable
      return table.recordRoutes(yield* HttpRouter.HttpRouter)
    })
  )
}
