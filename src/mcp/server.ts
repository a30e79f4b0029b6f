import { Effect, Layer, type Scope } from "effect"
import { HttpRouter } from "effect/http"
import type { KeyGate } from "../http/KeyGate.ts"
import type { McpOptions } from "./agentServer.ts"

const path = "/mcp"

/** For most methods, the MCP server only lists the allowed ones. */
const methods = ["GET", "PUT", "PATCH", "OPTIONS", "DELETE", "POST"] as const

/** The MCP server is loaded at the first request, because it would be a third of the code evaluated at the start. */
export const mcpLayer = (options: McpOptions) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const router = yield* HttpRouter.HttpRouter
      const context = yield* Effect.context<KeyGate | Scope.Scope>()
      const load = Effect.gen(function* () {
        const { agentServerLayer } = yield* Effect.promise(() => import("./agentServer.ts"))
        const own = yield* HttpRouter.make
        const ownLayer = Layer.succeed(HttpRouter.HttpRouter, own)
        yield* Layer.build(Layer.provide(agentServerLayer(path, options, router), ownLayer))
        return own
      })
      const loaded = yield* Effect.cached(Effect.provideContext(load, context))
      // Can't fail: the MCP server's own router always finds a route, and its middleware answers every failure.
      // @effect-diagnostics-next-line anyUnknownInErrorContext:off
      const serve = Effect.flatMap(loaded, (own) => Effect.orDie(own.asHttpEffect()))
      for (const method of methods) yield* router.add(method, path, serve)
    })
  )
