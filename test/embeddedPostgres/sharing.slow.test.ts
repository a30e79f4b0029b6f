import * as NodeServices from "@effect/platform-node/NodeServices"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Exit, Path, Schedule, Scope } from "effect"
import { openLock } from "../../src/embeddedPostgres/lock.ts"
import {
  isRunning,
  makeUsedDirectories,
  postmaster,
  start,
  startElsewhere,
  startTime,
  temporaryDirectory
} from "./servers.ts"

const scope = Scope.makeUnsafe()
let usedDirectories: Effect.Success<typeof makeUsedDirectories>
beforeAll(async () => {
  usedDirectories = await Effect.runPromise(
    Scope.provide(makeUsedDirectories, scope).pipe(Effect.provide(NodeServices.layer))
  )
})
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

describe.concurrent("Sharing the embedded PostgreSQL", () => {
  it.live("A second process shares the server, which keeps running when that process ends", () =>
    Effect.gen(function* () {
      const dataDir = yield* usedDirectories.copied
      const { url } = yield* start(dataDir)
      const before = yield* startTime(url)
      const other = yield* startElsewhere(dataDir)
      const there = yield* startTime(other.url)
      yield* other.end("SIGTERM")
      const after = yield* startTime(url)
      assert.deepStrictEqual([there, after], [before, before])
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("The server outlives the process that started it, and stops with the last process that uses it", () =>
    Effect.gen(function* () {
      const dataDir = yield* usedDirectories.copied
      const other = yield* startElsewhere(dataDir)
      const before = yield* startTime(other.url)
      const after = yield* Effect.scoped(
        Effect.gen(function* () {
          const { url } = yield* start(dataDir)
          yield* other.end("SIGTERM")
          return yield* startTime(url)
        })
      )
      assert.deepStrictEqual(after, before)
      assert.isFalse(yield* isRunning(dataDir))
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("The server stops when its only process gets SIGTERM", () =>
    Effect.gen(function* () {
      const dataDir = yield* usedDirectories.copied
      const other = yield* startElsewhere(dataDir)
      assert.isTrue(yield* isRunning(dataDir))
      yield* other.end("SIGTERM")
      assert.isFalse(yield* isRunning(dataDir))
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("A server whose process was killed is found by the next process, and stops with that one", () =>
    Effect.gen(function* () {
      const dataDir = yield* usedDirectories.copied
      const other = yield* startElsewhere(dataDir)
      const before = yield* startTime(other.url)
      yield* other.end("SIGKILL")
      const found = yield* Effect.scoped(Effect.flatMap(start(dataDir), ({ url }) => startTime(url)))
      assert.deepStrictEqual(found, before)
      assert.isFalse(yield* isRunning(dataDir))
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("Processes that start at the same time start one server", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryDirectory
      const urls = yield* Effect.all(
        [startElsewhere(dataDir), start(dataDir), startElsewhere(dataDir), start(dataDir)],
        { concurrency: "unbounded" }
      )
      const servers = yield* Effect.forEach(urls, ({ url }) => startTime(url))
      assert.strictEqual(new Set(servers).size, 1)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("A server that is killed is restarted at the same URL", () =>
    Effect.gen(function* () {
      const dataDir = yield* usedDirectories.copied
      const { url } = yield* start(dataDir)
      const before = yield* startTime(url)
      const { pid } = yield* postmaster(dataDir)
      process.kill(pid, "SIGKILL")
      const after = yield* startTime(url).pipe(
        Effect.filterOrFail(
          (now) => now !== before,
          () => "still the server that was killed"
        ),
        Effect.retry(Schedule.spaced("50 millis"))
      )
      assert.notStrictEqual(after, before)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("A start fails if other processes use a server that is not visible from here", () =>
    Effect.gen(function* () {
      const path = yield* Path.Path
      const dataDir = yield* usedDirectories.copied
      yield* Effect.scoped(start(dataDir))
      const user = yield* Effect.acquireRelease(openLock(path.join(dataDir, "postgres.users")), (lock) => lock.close)
      yield* user.take("shared")
      const { message } = yield* Effect.flip(Effect.scoped(start(dataDir)))
      assert.match(message, /Another process uses the PostgreSQL in .*, but none can be seen from here/)
      assert.isFalse(yield* isRunning(dataDir))
    }).pipe(Effect.provide(NodeServices.layer))
  )
})
