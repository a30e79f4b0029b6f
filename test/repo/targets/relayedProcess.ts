import { Array as Arr, Context, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { connect, createServer, type Socket } from "node:net"
import { Repo } from "../../../src/repo/Repo.ts"
import { listenLocally } from "../../chaos/support/listenLocally.ts"
import { lease, makeDuePosts } from "../../support/database/duePosts.ts"
import { freshDatabase, repoOf } from "../../support/database/testDatabase.ts"
import { published } from "./settlements.ts"

/**
 * Relays between a client and the server. Counts round trips, and can have the server refuse a statement or fall silent
 * after a BEGIN.
 */
const relay = Effect.fnUntraced(function* (target: URL) {
  const state = { freezesAfterBegin: false, refuses: "", roundTrips: 0 }
  const open = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect({ host: target.hostname, port: Number(target.port) })
    let isAnswered = true
    open.add(near).add(far)
    near.on("data", (chunk) => {
      if (isAnswered) state.roundTrips += 1
      isAnswered = false
      // The replacement has the same length, so that the message stays valid.
      const spoilt = chunk.toString("latin1").replace(state.refuses, "x".repeat(state.refuses.length))
      far.write(Buffer.from(spoilt, "latin1"))
    })
    far.on("data", (chunk) => {
      isAnswered = true
      near.write(chunk)
      if (state.freezesAfterBegin && chunk.includes("BEGIN")) far.pause()
    })
    for (const socket of [near, far]) socket.on("error", () => undefined)
    near.on("close", () => far.destroy())
    far.on("close", () => near.destroy())
  })
  const port = yield* listenLocally(server, open)
  return { state, url: Object.assign(new URL(target), { port: String(port) }) }
})

/** The `far` services of a process behind a relay, the `near` services of another process, and claims of due posts. */
export const makeProcess = Effect.fnUntraced(function* (posts: number) {
  const url = yield* freshDatabase
  const { state, url: relayed } = yield* relay(new URL(Redacted.value(url)))
  const near = yield* Layer.build(repoOf(url))
  const far = yield* Layer.build(repoOf(Redacted.make(relayed.href)))
  const { events, targets } = Context.get(far, Repo)
  const sql = Context.get(near, SqlClient.SqlClient)
  yield* Effect.provideContext(makeDuePosts(posts, 1), near)
  const claims = yield* targets.claim(100, lease)
  const batch = claims.map((claim) => ({ claim, settlement: published }))
  if (!Arr.isReadonlyArrayNonEmpty(batch)) return yield* Effect.die("Nothing was due")
  const statuses = Effect.map(
    sql<{ status: string }>`SELECT status FROM post_targets UNION ALL SELECT status FROM posts`,
    (rows) => [...new Set(rows.map(({ status }) => status))]
  )
  return { batch, events, far, near, sql, state, statuses, targets, url }
})
