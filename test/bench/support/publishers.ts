import { Effect, Schedule, Schema } from "effect"
import type { NewPosts } from "./newPosts.ts"
import { now } from "./answerParent.ts"
import { Done, startScript } from "./childProcess.ts"
import { type Database, databaseEnv, runSql } from "./database.ts"
import { insertDuePosts } from "./duePosts.ts"
import { startService } from "./service.ts"
import type { Platform } from "./startPlatform.ts"

/** A program that publishes posts at their times. */
export interface Publisher {
  readonly name: string
  readonly pids: ReadonlyArray<number>
  /** Stores posts, and returns the time when that began, in milliseconds since 1970. */
  readonly insert: (posts: NewPosts) => Effect.Effect<number>
  /** Waits until the results of all posts are stored. */
  readonly settled: Effect.Effect<void>
}

const Remaining = Schema.Array(Schema.Struct({ remains: Schema.Boolean }))

/** Repeats a query until it returns no rows. */
export const awaitNone = (database: Database, query: string) =>
  runSql(database, `SELECT EXISTS (${query}) AS remains`).pipe(
    Effect.flatMap(Schema.decodeUnknownEffect(Remaining)),
    Effect.repeat({ until: (rows) => rows[0]?.remains === false, schedule: Schedule.spaced("10 millis") }),
    Effect.orDie,
    Effect.asVoid
  )

/** The service in one or several processes. Each workspace has an account on the platform. */
export const startServicePublisher = Effect.fn("startServicePublisher")(function* (
  database: Database,
  platform: Platform,
  processes = 1,
  program?: ReadonlyArray<string>,
  more: Readonly<Record<string, string>> = {}
) {
  const env = {
    ...more,
    PLATFORMS: "live",
    TWITTER_API_URL: platform.url,
    TWITTER_CLIENT_ID: "benchmark",
    BLUESKY_SERVICE_URL: platform.url
  }
  const services = yield* Effect.forEach(Array.from({ length: processes }), () => startService(database, env, program))
  const insert = Effect.fnUntraced(function* (posts: NewPosts) {
    const at = now()
    yield* insertDuePosts(database, posts)
    return at
  })
  return {
    services,
    name: processes === 1 ? "service" : `${processes} processes of the service`,
    pids: services.map(({ pid }) => pid),
    insert,
    settled: awaitNone(database, "SELECT FROM posts WHERE status IN ('scheduled', 'publishing')").pipe(
      Effect.andThen(runSql(database, "SELECT FROM posts WHERE status = 'failed' LIMIT 1")),
      Effect.flatMap((failed) =>
        failed.length === 0 ? Effect.void : Effect.die(new Error("The service failed to publish a post"))
      )
    )
  }
})

const createPeerPosts = [
  `CREATE TABLE peer_posts (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account integer NOT NULL,
    text text NOT NULL,
    due_at timestamptz NOT NULL,
    status text NOT NULL DEFAULT 'pending',
    platform_post_id text,
    published_at timestamptz
  )`,
  "CREATE INDEX peer_posts_due ON peer_posts (due_at) WHERE status = 'pending'",
  "CREATE INDEX peer_posts_open ON peer_posts (id) WHERE published_at IS NULL"
]

const peers = [
  { name: "SKIP LOCKED loop", script: "peers/loop.ts" },
  { name: "graphile-worker", script: "peers/graphileWorker.ts" },
  { name: "pg-boss", script: "peers/pgBoss.ts" }
]

/** The peers. Each peer keeps its posts in its own table. */
export const startPeerPublishers = Effect.fn("startPeerPublishers")(function* (database: Database, platform: Platform) {
  yield* runSql(database, ...createPeerPosts)
  return yield* Effect.forEach(peers, ({ name, script }) =>
    Effect.map(
      startScript(script, { ...databaseEnv(database), PLATFORM_URL: platform.url }),
      ({ ask, pid }): Publisher => ({
        name,
        pids: [pid],
        insert: (posts) => Effect.map(ask(posts, Done), ({ at }) => at),
        settled: awaitNone(database, "SELECT FROM peer_posts WHERE published_at IS NULL")
      })
    )
  )
})
