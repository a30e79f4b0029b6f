import { NodeHttpClient } from "@effect/platform-node"
import { Context, Effect, Layer, Logger, Redacted } from "effect"
import { Scope } from "../../../src/domain/apiKey.ts"
import type { Notifier } from "../../../src/notifier/Notifier.ts"
import { Sandbox } from "../../../src/sandbox/Sandbox.ts"
import { Publisher } from "../../../src/publishing/Publisher.ts"
import { scheduledFiber } from "../../../src/publishing/scheduledFiber.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { repoLayer } from "../database/testDatabase.ts"
import { baseUrl, startServer } from "./server.ts"
import { platformClientLayer } from "../../../src/platforms/layer.ts"

const platforms = Layer.unwrap(Effect.map(Sandbox, (sandbox) => platformClientLayer(sandbox.platforms(baseUrl)))).pipe(
  Layer.provideMerge(Sandbox.layer({})),
  Layer.provide(NodeHttpClient.layerUndici)
)

/** A workspace that is connected on both sandbox platforms, and a key of it that may do everything. */
const workspaceKey = Effect.gen(function* () {
  const { apiKeys, integrations, workspaces } = yield* Repo
  const sandbox = yield* Sandbox
  const { id: workspaceId } = yield* workspaces.create("A team")
  for (const platform of ["twitter", "bluesky"] as const)
    yield* integrations.connect(workspaceId, { platform, ...(yield* sandbox.connect(platform, "team")) })
  const asked = { workspaceId, name: "A key", scopes: Scope.literals, requiresApproval: false, expiresIn: null }
  return Redacted.value((yield* apiKeys.create(asked)).key)
})

/** The whole service: the API on a real database, and the publisher with the sandbox's platforms. */
export class RunningService extends Context.Service<
  RunningService,
  {
    readonly url: string
    /** A key of a workspace that is connected on both platforms. */
    readonly key: string
  }
>()("test/RunningService") {
  static readonly layer = Layer.effect(
    RunningService,
    Effect.gen(function* () {
      const stores = Layer.succeedContext(yield* Effect.context<Repo | Notifier>())
      // Tests ask again and again until a post is out.
      const url = yield* startServer({ repo: stores, notifier: stores, rateLimitPerMinute: 1_000_000 })
      return { key: yield* workspaceKey, url }
    })
  ).pipe(
    Layer.provideMerge(scheduledFiber),
    Layer.provide(Publisher.layer),
    Layer.provide(platforms),
    Layer.provideMerge(repoLayer),
    Layer.provideMerge(Logger.layer([]))
  )
}
