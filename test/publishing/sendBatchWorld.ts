import { DateTime, type Duration, Effect, Layer, References } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { DatabaseUnavailable } from "../../src/domain/errors.ts"
import { encodeSession } from "../../src/platforms/bluesky/session.ts"
import { encodeTokens } from "../../src/platforms/twitter/tokens.ts"
import { Publisher } from "../../src/publishing/Publisher.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { plan } from "../support/database/fixtures.ts"
import { repoLayer } from "../support/database/testDatabase.ts"
import { Held, heldPlatforms } from "./heldPlatforms.ts"
import { publisherLayer } from "./publisherLayer.ts"

export type Service = Repo["Service"]

export const platforms = ["twitter", "bluesky"] as const

export const credentials = {
  twitter: encodeTokens({ accessToken: "token", refreshToken: null }),
  bluesky: encodeSession({ accessJwt: "token", refreshJwt: "token", pdsUrl: null })
}

const account = {
  accountId: "did:plc:team",
  username: "team",
  displayName: null,
  avatarUrl: null,
  serviceUrl: null
}

/** A new workspace with both accounts and a due post. */
export const makeDue = Effect.fnUntraced(function* (
  content: string,
  on: ReadonlyArray<"twitter" | "bluesky"> = ["twitter"]
) {
  const { integrations, posts, workspaces } = yield* Repo
  const { id: workspace } = yield* workspaces.create("A team")
  for (const platform of platforms)
    yield* integrations.connect(workspace, { ...account, platform, credentials: credentials[platform] })
  const { id } = yield* posts.create(workspace, { ...plan(yield* DateTime.now, on), content })
  return { workspace, id }
})
export type Due = Effect.Success<ReturnType<typeof makeDue>>

export const makeAllDue = (...texts: ReadonlyArray<string>) => Effect.forEach(texts, (text) => makeDue(text))

/** The status of a post and of its targets, with the codes of their errors. */
export const statusOf = Effect.fnUntraced(function* ({ id, workspace }: Due) {
  const post = yield* (yield* Repo).posts.get(workspace, id)
  return [post.status, ...post.post_targets.map(({ error, status }) => (error === null ? status : error.code))].join(
    " "
  )
})

/** Runs an effect with a publisher whose Repo is changed. */
export const withPublisher = <A, E, R>(
  change: (repo: Service) => Partial<Service>,
  effect: Effect.Effect<A, E, R | Publisher>
) =>
  Effect.flatMap(Repo, (repo) =>
    Effect.provide(
      effect,
      Layer.fresh(publisherLayer).pipe(Layer.provide(Layer.succeed(Repo, { ...repo, ...change(repo) })))
    )
  )

/** Ticks, and waits for this number of requests. */
export const tick = Effect.fnUntraced(function* (requests: number) {
  const held = yield* Held
  yield* (yield* Publisher).tick
  return yield* Effect.forEach(Array.from({ length: requests }), () => held.next)
})

export const idle = Effect.flatMap(Publisher, (publisher) => publisher.idle)

/** Other sessions' active statements, without those that wait for a test's lock. */
const running = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
    AND backend_type = 'client backend' AND state = 'active' AND wait_event_type IS DISTINCT FROM 'Lock'`
)

/**
 * Lets time pass until nothing is in flight, only while the database is idle. The steps are small, because a connection
 * that is being opened is not visible.
 */
export const idleBySteps = Effect.fnUntraced(function* (step: Duration.Input) {
  const ended = yield* Effect.forkChild(idle)
  while (ended.pollUnsafe() === undefined) {
    yield* TestClock.adjust(step)
    yield* Effect.repeat(running, { until: (statements) => statements.length === 0 })
  }
})
export const idleLater = idleBySteps("20 millis")

/** The targets of all posts, in the order of their texts. */
export const storedTargets = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`SELECT p.content AS text, t.status, t.attempts, t.sent_at IS NOT NULL AS sent,
      t.claim_token IS NOT NULL AND t.send_token IS NOT DISTINCT FROM t.claim_token AS begun
    FROM post_targets t JOIN posts p ON p.id = t.post_id ORDER BY p.content, t.platform`
)

export const unavailable = new DatabaseUnavailable({ operation: "a test", cause: "The connection was lost" })

export const stack = heldPlatforms.pipe(
  Layer.provideMerge(repoLayer),
  Layer.provideMerge(Layer.succeed(References.TracerEnabled, false))
)
