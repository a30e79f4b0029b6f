import { Clock, Effect, Option, Redacted, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { readFile } from "node:fs/promises"
import path from "node:path"
import { Base64 } from "effect/encoding"
import { migrate } from "../../../src/repo/postgres/migrations.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { Scope } from "../../../src/domain/people/apiKey.ts"
import { call } from "./calls.ts"
import { uploadFiles } from "./files.ts"
import { makeReplica, type Replica } from "./replica.ts"
import type { StatementFault, StatementProxy } from "./statementProxy.ts"
import { statementProxy } from "./statementProxy.ts"
import { query, storedTargets } from "./storedTargets.ts"
import { startReceivers } from "./webhookReceivers.ts"
import { encryptionKey, makeTeams, repoLayer } from "./world.ts"

/** A fault of a connection, or of the whole process: suspended for a while, or killed and restarted. */
export type Fault = Exclude<StatementFault, "none"> | "suspended" | "killed"

/** A piece of work that is repeated with a fault at each of its statements. */
export interface Work {
  readonly replica: Replica
  readonly proxy: StatementProxy
  readonly logFile: string
  /**
   * Carries out the work once, with a number as its name. Returns everything that went wrong. If the process is killed,
   * requests may get no response.
   */
  readonly carryOut: (number: number, isKilled: boolean) => Effect.Effect<ReadonlyArray<string>>
}

/**
 * The time for which a process is suspended: longer than the timeout of its database requests, and shorter than its
 * lease.
 */
const suspendedFor = "10 seconds"

/** The longest time that a target may wait after a fault, in milliseconds. */
const longestWait = 60_000

/** Starts a proxy in front of the database. */
const behindProxy = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const direct = new URL(Redacted.value(url))
  const proxy = yield* statementProxy({ host: direct.hostname, port: Number(direct.port) })
  direct.port = String(proxy.port)
  return { proxy, url: direct.href }
})

/**
 * Sends a request until it gets a response, as a client does. Adds to `wrong` each response that a client should never
 * get.
 */
const requests = (replica: Replica, key: string, wrong: Array<string>, isKilled: boolean) =>
  Effect.fnUntraced(function* (method: string, resource: string, idempotencyKey: string, body?: unknown) {
    const send = call(`${replica.url}${resource}`, {
      method,
      key,
      headers: { "idempotency-key": idempotencyKey },
      ...(body === undefined ? {} : { body })
    }).pipe(
      Effect.tap(({ status, text }) =>
        Effect.sync(() => {
          if ((status === 0 && !isKilled) || (status >= 500 && status !== 503))
            wrong.push(`${method} ${resource}: ${status} ${text}`)
        })
      )
    )
    const answer = yield* Effect.repeat(send, {
      until: ({ status }) => status < 500 && status !== 409 && status !== 0,
      schedule: Schedule.spaced("100 millis")
    })
    if (answer.status >= 400) wrong.push(`${method} ${resource}: ${answer.status} ${answer.text}`)
    return answer
  })

const decodeCreated = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Struct({ id: Schema.String })))

/**
 * Posts with a picture on both platforms. They are created, published immediately and deleted, each with an
 * Idempotency-Key.
 */
export const publishingWork = Effect.fn("publishingWork")(function* (
  databaseUrl: Redacted.Redacted,
  directory: string
) {
  const { proxy, url } = yield* behindProxy(databaseUrl)
  const { addReplica, keys, standIn } = yield* makeTeams({
    databaseUrl,
    directory,
    seed: "1",
    workspaces: 1,
    faultRate: 0,
    pace: 100,
    env: () => ({ CHAOS_REAL_LEASES: "1", DATABASE_URL: url })
  })
  const [key = ""] = keys
  const replica = yield* addReplica("replica")
  yield* Effect.andThen(replica.start, replica.ready)
  const filesOf = yield* uploadFiles(Effect.succeed(replica), keys)

  const carryOut = Effect.fnUntraced(function* (number: number, isKilled: boolean) {
    const wrong: Array<string> = []
    const send = requests(replica, key, wrong, isKilled)
    const content = `Post ${number}`
    const body = { content, platforms: ["twitter", "bluesky"], media: filesOf(key, ["image"]) }
    const created = yield* send("POST", "/v1/posts", `create ${number}`, body)
    if (wrong.length > 0) return wrong
    const { id } = yield* Effect.orDie(decodeCreated(created.text))
    yield* send("POST", `/v1/posts/${id}/publish`, `publish ${number}`)
    const begun = yield* Clock.currentTimeMillis
    const targets = Effect.map(storedTargets(databaseUrl), (all) => all.filter((each) => each.content === content))
    const ended = yield* targets.pipe(
      Effect.repeat({
        until: (all) => all.every(({ status }) => status === "published" || status === "failed"),
        schedule: Schedule.spaced("100 millis")
      }),
      Effect.timeoutOption(longestWait + 20_000),
      Effect.orDie
    )
    const took = (yield* Clock.currentTimeMillis) - begun
    if (took > longestWait) wrong.push(`the post took ${Math.round(took / 1000)} s`)
    for (const { message, platform, status } of Option.getOrElse(ended, () => [])) {
      if (status !== "published") wrong.push(`${platform}: ${status}: ${message}`)
    }
    const { posts } = yield* standIn.report
    for (const platform of ["twitter", "bluesky"]) {
      const copies = posts.filter((post) => post.platform === platform && post.text === content).length
      if (copies !== 1) wrong.push(`${copies} copies on ${platform}`)
    }
    yield* send("DELETE", `/v1/posts/${id}`, `delete ${number}`)
    return wrong
  })
  return { replica, proxy, carryOut, logFile: path.join(directory, "replica.log") } satisfies Work
})

/** Deletes drafts, which a webhook reports. */
export const webhookWork = Effect.fn("webhookWork")(function* (databaseUrl: Redacted.Redacted, directory: string) {
  const { proxy, url } = yield* behindProxy(databaseUrl)
  const receivers = yield* startReceivers
  const key = yield* Effect.gen(function* () {
    yield* migrate
    const { apiKeys, integrations, webhooks, workspaces } = yield* Repo
    const { id: workspace } = yield* workspaces.create("Workspace")
    yield* webhooks.create(workspace, { url: `${receivers.url}/1`, description: null, events: ["post.deleted"] })
    const account = {
      platform: "twitter",
      accountId: "1",
      username: "one",
      displayName: null,
      avatarUrl: null,
      serviceUrl: null,
      credentials: Redacted.make("{}")
    } as const
    yield* integrations.connect(workspace, account)
    const newKey = {
      workspaceId: workspace,
      name: "Campaign",
      scopes: Scope.literals,
      requiresApproval: false,
      expiresIn: null
    }
    return Redacted.value((yield* apiKeys.create(newKey)).key)
  }).pipe(Effect.provide(repoLayer(databaseUrl)))
  const replica = yield* makeReplica({
    name: "replica",
    pace: 100,
    directory,
    env: {
      CHAOS_REAL_LEASES: "1",
      DATABASE_URL: url,
      ENCRYPTION_KEY: Base64.encode(encryptionKey),
      PLATFORMS: "sandbox",
      DATA_DIR: path.join(directory, "data")
    }
  })
  yield* Effect.andThen(replica.start, replica.ready)

  const carryOut = Effect.fnUntraced(function* (number: number, isKilled: boolean) {
    const wrong: Array<string> = []
    const send = requests(replica, key, wrong, isKilled)
    const created = yield* send("POST", "/v1/posts", `create ${number}`, {
      content: `Draft ${number}`,
      platforms: ["twitter"]
    })
    const { id } = yield* Effect.orDie(decodeCreated(created.text))
    yield* send("DELETE", `/v1/posts/${id}`, `delete ${number}`)
    const copies = yield* query(
      databaseUrl,
      Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT FROM posts WHERE content = ${`Draft ${number}`}`)
    ).pipe(Effect.orDie)
    if (copies.length > 0) wrong.push(`${copies.length} copies of the draft are stored`)
    const begun = yield* Clock.currentTimeMillis
    yield* Effect.sync(() => receivers.arrivals.has(id)).pipe(
      Effect.repeat({ until: (arrived) => arrived, schedule: Schedule.spaced("50 millis") }),
      Effect.timeoutOption(longestWait + 20_000)
    )
    const took = (yield* Clock.currentTimeMillis) - begun
    if (took > longestWait) wrong.push(`the event took ${Math.round(took / 1000)} s`)
    // If a delivery is settled too late, it is sent again with the same id.
    const settled = yield* query(
      databaseUrl,
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        return yield* sql`SELECT FROM webhook_deliveries WHERE claim_token IS NOT NULL`
      })
    ).pipe(
      Effect.repeat({ until: (rows) => rows.length === 0, schedule: Schedule.spaced("100 millis") }),
      Effect.timeoutOption(longestWait),
      Effect.orDie
    )
    if (Option.isNone(settled)) wrong.push("a delivery stays claimed")
    return wrong
  })
  return { replica, proxy, carryOut, logFile: path.join(directory, "replica.log") } satisfies Work
})

/** The result of a fault at one statement. */
export interface FaultResult {
  readonly statement: string
  readonly fault: Fault
  /** True if the work did not run the statement this time. */
  readonly isMissed: boolean
  readonly seconds: number
  readonly wrong: ReadonlyArray<string>
}

/** Statements that a process runs once, after its start. */
const isOfStart = /^(CREATE INDEX|DROP INDEX|LISTEN|LOCK TABLE)|pg_stat_progress_create_index|pg_index|migrations/

/** Log lines that report a defect. */
const unexpected = /"level":"(ERROR|FATAL)"|unexpectedly/i

/**
 * Carries out the work a few times to learn its statements. Then carries it out once for each statement and each fault.
 */
export const injectAtEveryStatement = Effect.fn("injectAtEveryStatement")(function* (
  { carryOut, logFile, proxy, replica }: Work,
  faults: ReadonlyArray<Fault>,
  onResult: (result: FaultResult) => Effect.Effect<void>
) {
  const fork = Effect.runForkWith(yield* Effect.context())
  let number = 0
  const logged = Effect.promise(() => readFile(logFile, "utf8"))
  yield* proxy.forget
  for (let round = 0; round < 3; round++) {
    const wrong = yield* carryOut(++number, false)
    if (wrong.length > 0) return yield* Effect.die(new Error(`Without a fault: ${wrong.join("; ")}`))
  }
  /** Statements that the work does not run every time, such as those of sweeps. */
  const rare = new Set<string>()
  for (const fault of faults) {
    const tried = new Set<string>()
    for (;;) {
      // Includes statements that only ran because of a fault.
      const statement = proxy.passed().find((each) => !tried.has(each))
      if (statement === undefined) break
      tried.add(statement)
      if (rare.has(statement) || isOfStart.test(statement)) continue
      const before = (yield* logged).length
      const begun = yield* Clock.currentTimeMillis
      yield* proxy.arm({
        statement,
        fault: fault === "suspended" || fault === "killed" ? "none" : fault,
        onReached: () => {
          if (fault === "suspended") fork(Effect.andThen(replica.freeze, Effect.delay(replica.resume, suspendedFor)))
          if (fault === "killed") fork(Effect.andThen(replica.end("SIGKILL"), replica.start))
        }
      })
      const wrong = yield* carryOut(++number, fault === "killed")
      const isMissed = yield* proxy.disarm
      if (isMissed) rare.add(statement)
      const lines = (yield* logged).slice(before).split("\n")
      yield* onResult({
        statement,
        fault,
        isMissed,
        seconds: Math.round(((yield* Clock.currentTimeMillis) - begun) / 100) / 10,
        wrong: [...wrong, ...lines.filter((line) => unexpected.test(line)).map((line) => line.slice(0, 1500))]
      })
    }
  }
})
