import { Effect, Schema } from "effect"
import { deepStrictEqual } from "node:assert"
import { withCpu } from "../support/cpu.ts"
import { databaseEnv, runSql, startDatabase } from "../support/database.ts"
import { Listening, startScript } from "../support/childProcess.ts"
import type { BenchOptions, Section } from "../support/options.ts"
import { progress } from "../support/progress.ts"
import { LoadReport, runLoad } from "../support/runLoad.ts"
import { startService } from "../support/service.ts"
import { median, medianRatio } from "../support/statistics.ts"
import { insertPublished, makeTeams } from "../support/teams.ts"

const connections = 32
const pageSize = 20
/** The other servers are compared with this peer. */
const reference = "Fastify 5 + postgres.js"
/**
 * Each contender gets a load for this many seconds before it is measured, because V8 compiles during the first 20,000
 * requests.
 */
const warmUpSeconds = 10
/** The number of posts that are read in turn. */
const readPosts = 2000

const Sample = Schema.Array(Schema.Struct({ id: Schema.String, workspaceId: Schema.String }))

/** One measurement. The CPU times are in microseconds per request. */
interface Measurement {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly node: number
  readonly postgres: number
}

/** A server to measure, and the names of the requests that it supports. */
interface Contender {
  readonly name: string
  readonly pid: number
  readonly load: (requests: ReadonlyArray<string>, seconds: number) => Effect.Effect<typeof LoadReport.Type>
  readonly serves: ReadonlyArray<string>
}

const head = (line: string, key: string) => `${line} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${key}\r\n`

const tomorrow = new Date(Date.now() + 86_400_000).toISOString()

const createRequest = (key: string, headers = "") => {
  const body = JSON.stringify({
    content: "What is new in our latest release: faster lists, fewer clicks and a dark theme.",
    platforms: ["twitter", "bluesky"],
    schedule_at: tomorrow,
    tags: ["release", "update"]
  })
  const length = Buffer.byteLength(body)
  return `${head("POST /v1/posts", key)}content-type: application/json\r\n${headers}content-length: ${length}\r\n\r\n${body}`
}

/** Fails unless a peer responds with the service's JSON. */
const checkSameResponses = (service: string, peer: string, paths: ReadonlyArray<string>, key: string) =>
  Effect.promise(async () => {
    const read = async (url: string): Promise<unknown> =>
      (await fetch(url, { headers: { authorization: `Bearer ${key}` } })).json()
    for (const path of paths) deepStrictEqual(await read(`${peer}${path}`), await read(`${service}${path}`))
  })

const startContenders = Effect.fn("startContenders")(function* (options: BenchOptions) {
  const database = yield* startDatabase
  const teams = yield* makeTeams(database, 200, ["twitter", "bluesky"])
  yield* insertPublished(database, options.quick ? 10_000 : 100_000)
  const found = yield* runSql(
    database,
    `SELECT id, workspace_id AS "workspaceId" FROM posts ORDER BY random() LIMIT ${readPosts}`
  )
  const keys = new Map(teams.map(({ key, workspaceId }) => [String(workspaceId), key]))
  const posts = (yield* Effect.orDie(Schema.decodeUnknownEffect(Sample)(found))).map(({ id, workspaceId }) => ({
    id,
    key: keys.get(workspaceId) ?? ""
  }))
  const first = posts[0] ?? { id: "", key: "" }

  const load = yield* startScript("support/load.ts")
  const env = databaseEnv(database)
  const http = (name: string, { pid, port }: { pid: number; port: number }, serves: ReadonlyArray<string>) =>
    ({
      name,
      pid,
      serves,
      load: (requests, seconds) => runLoad(load, { port, connections, seconds, requests })
    }) satisfies Contender

  const service = yield* startService(database)
  const startPeer = Effect.fnUntraced(function* (name: string, script: string) {
    const peer = yield* startScript(script, env)
    const { port } = yield* peer.ask({}, Listening)
    const paths = [`/v1/posts/${first.id}`, `/v1/posts?limit=${pageSize}`]
    yield* checkSameResponses(service.url, `http://127.0.0.1:${port}`, paths, first.key)
    return http(name, { pid: peer.pid, port }, ["get", "list", "create"])
  })
  const fastify = yield* startPeer(reference, "peers/fastify.ts")
  const hono = yield* startPeer("Hono + postgres.js", "peers/hono.ts")
  const constant = yield* startScript("peers/constant.ts", env)
  const { port } = yield* constant.ask(
    { authorization: `Bearer ${first.key}`, id: first.id, limit: pageSize },
    Listening
  )
  const select = yield* startScript("peers/select.ts", env)
  const contenders: ReadonlyArray<Contender> = [
    http("service", service, ["get", "list", "create", "createOnce"]),
    fastify,
    hono,
    http("ceiling: node:http, constant", { pid: constant.pid, port }, ["get", "list"]),
    {
      name: "ceiling: SELECT loop, no HTTP",
      pid: select.pid,
      serves: ["get"],
      load: (_, seconds) => select.ask({ seconds, connections, posts }, LoadReport)
    }
  ]
  const workloads = [
    { key: "get", title: "GET one", requests: posts.map(({ id, key }) => `${head(`GET /v1/posts/${id}`, key)}\r\n`) },
    {
      key: "list",
      title: `GET list of ${pageSize}`,
      requests: teams.map(({ key }) => `${head(`GET /v1/posts?limit=${pageSize}`, key)}\r\n`)
    },
    { key: "create", title: "POST create", requests: teams.map(({ key }) => createRequest(key)) },
    {
      key: "createOnce",
      title: "POST create with an Idempotency-Key",
      // The peers don't support idempotency keys.
      peersKey: "create",
      requests: teams.map(({ key }) => createRequest(key, "idempotency-key: {uuid}\r\n"))
    }
  ]
  return { database, contenders, workloads }
})

/**
 * Requests a second and CPU times of the service and its peers. They share a database and are measured one after
 * another.
 */
export const requests = Effect.fn("requests")(function* (options: BenchOptions) {
  const { contenders, database, workloads } = yield* startContenders(options)
  const measure = Effect.fnUntraced(function* (contender: Contender, lines: ReadonlyArray<string>) {
    const { node, postgres, result } = yield* withCpu(
      contender.load(lines, options.seconds),
      [contender.pid],
      database.postmaster
    )
    return { ...result, node: node / result.requests, postgres: postgres / result.requests }
  })
  const measured = new Map<string, Array<Measurement>>()
  for (const { key, requests: lines } of workloads) {
    const contestants = contenders.filter(({ serves }) => serves.includes(key))
    for (const contender of contestants) {
      yield* progress(`warming up: ${key} of ${contender.name}`)
      yield* contender.load(lines, options.quick ? options.seconds : warmUpSeconds)
    }
  }
  for (let round = 1; round <= options.rounds; round++) {
    for (const { key, requests: lines } of workloads) {
      yield* progress(`round ${round}: ${key}`)
      for (const contender of contenders.filter(({ serves }) => serves.includes(key))) {
        const name = `${key} ${contender.name}`
        measured.set(name, [...(measured.get(name) ?? []), yield* measure(contender, lines)])
      }
    }
  }
  const rows = workloads.flatMap(({ key, peersKey = key, title }) =>
    contenders
      .filter(({ serves }) => serves.includes(key))
      .map(({ name }) => {
        const all = measured.get(`${key} ${name}`) ?? []
        const fastify = measured.get(`${peersKey} ${reference}`) ?? []
        const rates = (measurements: ReadonlyArray<Measurement>) => measurements.map(({ perSecond }) => perSecond)
        const cpu = (measurements: ReadonlyArray<Measurement>) =>
          measurements.map(({ node, postgres }) => node + postgres)
        return {
          request: title,
          contender: name,
          "requests/s": median(rates(all)),
          "rate, of Fastify": medianRatio(rates(all), rates(fastify)),
          "CPU, of Fastify": medianRatio(cpu(all), cpu(fastify)),
          "p50, ms": median(all.map(({ p50 }) => p50)),
          "p99, ms": median(all.map(({ p99 }) => p99)),
          "node, µs": median(all.map(({ node }) => node)),
          "PostgreSQL, µs": median(all.map(({ postgres }) => postgres))
        }
      })
  )
  return [
    {
      title: "Requests",
      notes: `${connections} keep-alive connections, 200 workspaces, ${options.quick ? "10,000" : "100,000"} posts with two targets each; ${options.rounds} rounds of ${options.seconds} s, medians. The peers neither log nor count requests; the service does both.`,
      rows
    } satisfies Section
  ]
})
