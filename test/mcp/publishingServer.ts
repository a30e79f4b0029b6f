import { Effect, Layer } from "effect"
import { Repo } from "../../src/repo/Repo.ts"
import { Sandbox } from "../../src/sandbox/Sandbox.ts"
import { publishing } from "../platforms/publishing.ts"
import { sendJson, sessionHeaders } from "../support/http/client.ts"
import { baseUrl, ServerUrl, type TestServerOptions } from "../support/http/server.ts"
import { makeMember, makeSession, startOnDatabase } from "../support/http/team.ts"
import { agents } from "./agent.ts"

/** An agents' server with its own database, and the publisher with the sandbox's platforms. */
export const publishingServerLayer = (options: TestServerOptions = {}) =>
  Layer.effect(ServerUrl, startOnDatabase({ others: agents, rateLimitPerMinute: 100_000, ...options })).pipe(
    Layer.provideMerge(
      publishing(
        Effect.map(Sandbox, (sandbox) => sandbox.platforms(baseUrl)),
        Sandbox.layer()
      )
    )
  )

/** A workspace with accounts in the sandbox, and a logged-in admin. */
export const makeAdmin = Effect.fn(function* (name = "A team") {
  const { integrations, workspaces } = yield* Repo
  const sandbox = yield* Sandbox
  const url = yield* ServerUrl
  const { id: workspaceId } = yield* workspaces.create(name)
  for (const platform of ["twitter", "bluesky"] as const) {
    yield* integrations.connect(workspaceId, { platform, ...(yield* sandbox.connect(platform, "team")) })
  }
  const { email, id } = yield* makeMember(workspaceId)
  const cookie = yield* makeSession(id, workspaceId)
  const admin = (method: string, path: string, body?: unknown) =>
    sendJson(`${url}/v1${path}`, method, sessionHeaders(cookie), body)
  return { admin, email, workspaceId }
})
