import { assert, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Redacted } from "effect"
import { mkdtemp, rm } from "node:fs/promises"
import { createServer, type ServerResponse } from "node:http"
import { tmpdir } from "node:os"
import path from "node:path"
import { call } from "../chaos/support/calls.ts"
import { uploadFiles } from "../chaos/support/files.ts"
import { listenLocally } from "../chaos/support/listenLocally.ts"
import { type DisconnectMode, tcpProxy } from "../chaos/support/tcpProxy.ts"
import { makeTeams } from "../chaos/support/world.ts"
import { freshDatabase } from "../support/database/testDatabase.ts"

// Starts early: it waits for processes to stop.

/** The wait of a process manager, as in the examples of `.deploy`. */
const stopTimeout = 30_000

/** A platform on which matching requests hang, and its response to other requests. */
interface Platform {
  readonly hangs: RegExp
  readonly respond: (response: ServerResponse) => void
}

const hangingUpload: Platform = { hangs: /media/, respond: () => undefined }
const unauthorized = JSON.stringify({
  title: "Unauthorized",
  type: "about:blank",
  status: 401,
  detail: "Unauthorized"
})
const hangingRenewal: Platform = {
  hangs: /oauth2\/token/,
  respond: (response) => void response.writeHead(401, { "content-type": "application/json" }).end(unauthorized)
}

/** A service whose database can be disconnected, while it sends a post and a post with a picture. */
const makeWorld = Effect.fnUntraced(function* ({ hangs, respond }: Platform) {
  const directory = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(path.join(tmpdir(), "stop-"))),
    (created) => Effect.promise(() => rm(created, { recursive: true, force: true }))
  )
  const databaseUrl = yield* freshDatabase
  const direct = new URL(Redacted.value(databaseUrl))
  const proxy = yield* tcpProxy({ host: direct.hostname, port: Number(direct.port) })
  direct.port = String(proxy.port)
  const hanging = yield* Deferred.make<void>()
  const server = createServer((request, response) => {
    request.resume()
    if (hangs.test(request.url ?? "")) Deferred.doneUnsafe(hanging, Effect.void)
    else respond(response)
  })
  const port = yield* listenLocally(server, new Set())
  const { addReplica, keys } = yield* makeTeams({
    databaseUrl,
    directory,
    seed: "1",
    workspaces: 1,
    faultRate: 0,
    pace: 1,
    env: () => ({
      CHAOS_REAL_LEASES: "1",
      DATABASE_URL: direct.href,
      TWITTER_API_URL: `http://127.0.0.1:${port}`
    })
  })
  const [key = ""] = keys
  const replica = yield* addReplica("replica")
  yield* Effect.andThen(replica.start, replica.ready)
  const filesOf = yield* uploadFiles(Effect.succeed(replica), keys)
  const publish = Effect.fnUntraced(function* (media: ReadonlyArray<unknown>) {
    const body = {
      content: "Post",
      platforms: ["twitter"],
      media,
      schedule_at: new Date(yield* Clock.currentTimeMillis).toISOString()
    }
    const created = yield* call(`${replica.url}/v1/posts`, { method: "POST", key, body })
    assert.strictEqual(created.status, 201, created.text)
  })
  yield* publish([])
  yield* publish(filesOf(key, ["image"]))
  yield* Deferred.await(hanging)
  const stop = Effect.gen(function* () {
    const begun = yield* Clock.currentTimeMillis
    const code = yield* replica.end("SIGTERM")
    const took = (yield* Clock.currentTimeMillis) - begun
    return { code, took }
  })
  return { proxy, stop }
})

it.live.each<readonly [string, Platform, DisconnectMode | null]>([
  ["a renewal of an account's tokens hangs", hangingRenewal, null],
  ["a platform and the database do not respond", hangingUpload, "silent"],
  ["neither a renewal of tokens nor the database responds", hangingRenewal, "silent"]
])("A process ends before its process manager kills it, while %s", ([, platform, disconnects]) =>
  Effect.gen(function* () {
    const { proxy, stop } = yield* makeWorld(platform)
    if (disconnects !== null) yield* proxy.disconnect(disconnects)
    const { code, took } = yield* stop
    assert.isBelow(took, stopTimeout)
    assert.strictEqual(code, 0)
  }).pipe(Effect.scoped)
)
