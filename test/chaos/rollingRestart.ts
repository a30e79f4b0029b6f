import { Clock, DateTime, Effect, Option, Schema, Random } from "effect"
import { runCampaignScript } from "./support/campaign.ts"
import { restartableDatabase } from "./support/database.ts"
import { nginx, type ProxiedRequest } from "./support/nginx.ts"
import type { World } from "./support/world.ts"

const requestsPerSecond = 50

const Created = Schema.fromJsonString(Schema.Struct({ id: Schema.String }))

/** The results of the requests and the restarts. */
interface RestartRecord {
  requests: number
  restarts: number
  slowest: number
  slowestStop: number
  readonly failed: Array<string>
}

type Send = (sent: ProxiedRequest) => Effect.Effect<{ readonly status: number; readonly text: string }>

/** Sends requests of each kind through the proxy at a steady rate, and records failed requests. */
const sendRequests = Effect.fnUntraced(function* (send: Send, { keys }: World, record: RestartRecord) {
  let posts: ReadonlyArray<{ readonly id: string; readonly key: string }> = []
  const choose = Effect.gen(function* () {
    const key = yield* Effect.orDie(Random.choice(keys))
    const known = posts[Math.floor((yield* Random.next) * posts.length)]
    const kind = yield* Random.nextIntBetween(0, 4)
    if (kind === 0 || known === undefined) {
      const body = { content: `Draft ${record.requests}`, platforms: ["twitter"] }
      return { method: "POST", path: "/v1/posts", key, body }
    }
    if (kind === 1) return { method: "GET", path: "/v1/posts?limit=20", key }
    const target = { path: `/v1/posts/${known.id}`, key: known.key }
    if (kind === 2) return { method: "GET", ...target }
    return { method: "PATCH", ...target, body: { content: `Draft changed by request ${record.requests}` } }
  })
  const one = Effect.gen(function* () {
    const request = yield* choose
    record.requests++
    const start = yield* Clock.currentTimeMillis
    const { status, text } = yield* send(request)
    const end = yield* Clock.currentTimeMillis
    record.slowest = Math.max(record.slowest, end - start)
    if (status < 200 || status > 299) {
      const at = DateTime.formatIso(DateTime.makeUnsafe(start))
      record.failed.push(`${at} ${request.method} ${request.path} got ${status}: ${text.slice(0, 200)}`)
    }
    const created = Schema.decodeOption(Created)(text)
    if (request.method === "POST" && Option.isSome(created)) {
      posts = [...posts.slice(-200), { id: created.value.id, key: request.key }]
    }
  })
  return yield* Effect.forever(Effect.andThen(Effect.forkScoped(one), Effect.sleep(1000 / requestsPerSecond)))
})

/** Stops and starts one replica after another, as a deployment does. */
const restartInTurn = Effect.fnUntraced(function* ({ replicas }: World, record: RestartRecord) {
  yield* Effect.sleep("1 second")
  for (;;) {
    for (const replica of replicas) {
      const start = yield* Clock.currentTimeMillis
      const code = yield* replica.end("SIGTERM")
      record.slowestStop = Math.max(record.slowestStop, (yield* Clock.currentTimeMillis) - start)
      if (code !== 0) record.failed.push(`${replica.name} exited with ${code} after SIGTERM`)
      yield* replica.start
      yield* replica.ready
      record.restarts++
    }
  }
})

/** Three replicas behind nginx are restarted one after another under requests through nginx. No request may fail. */
runCampaignScript("rolling restarts behind nginx", { posts: 300, seed: "1", pace: 10 }, (directory) =>
  Effect.map(restartableDatabase({ dataDir: directory }), ({ url }) => {
    const record: RestartRecord = { requests: 0, restarts: 0, slowest: 0, slowestStop: 0, failed: [] }
    return {
      databaseUrl: url,
      replicas: 3,
      env: () => ({ TRUST_PROXY: "on", BASE_URL: "https://posts.example.com" }),
      faultRate: 0,
      postsPerSecond: 5,
      dueWindow: 20_000,
      isDraft: (content: string) => content.startsWith("Draft "),
      injectFaults: (world: World) =>
        Effect.gen(function* () {
          const { send } = yield* nginx(
            directory,
            world.replicas.map((replica) => replica.url)
          )
          return yield* Effect.raceFirst(sendRequests(send, world, record), restartInTurn(world, record))
        }).pipe(Effect.scoped),
      extraRows: () => ({
        restarts: record.restarts,
        "slowest stop": `${(record.slowestStop / 1000).toFixed(1)} s`,
        requests: record.requests,
        "failed requests": record.failed.length,
        "slowest request": `${record.slowest} ms`
      }),
      extraFailures: () => record.failed
    }
  })
)
