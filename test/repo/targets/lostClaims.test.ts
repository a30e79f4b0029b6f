import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Fiber, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type { DatabaseUnavailable } from "../../../src/domain/errors.ts"
import type { ProcessId } from "../../../src/domain/ids.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import type { ClaimOwner } from "../../../src/repo/targets/Targets.ts"
import { statementProxy } from "../../chaos/support/statementProxy.ts"
import { tcpProxy } from "../../chaos/support/tcpProxy.ts"
import { repoLayer } from "../../chaos/support/world.ts"
import { lease, makeDuePosts } from "../../support/database/duePosts.ts"
import { makeWorkspace, plan } from "../../support/database/fixtures.ts"
import { storeFile } from "../../support/database/mediaFixtures.ts"
import { freshDatabase } from "../../support/database/testDatabase.ts"

type Test = Effect.Effect<void, unknown, Repo | SqlClient.SqlClient>

/** Runs a test with a Repo behind a proxy, and with its own direct connection. */
const withProxy = (
  test: (world: { readonly repo: Repo["Service"]; readonly proxy: Effect.Success<ReturnType<typeof tcpProxy>> }) => Test
) =>
  Effect.gen(function* () {
    const direct = yield* freshDatabase
    const proxied = new URL(Redacted.value(direct))
    const proxy = yield* tcpProxy({ host: proxied.hostname, port: Number(proxied.port) })
    proxied.port = String(proxy.port)
    yield* Effect.gen(function* () {
      const repo = yield* Repo
      yield* Effect.provide(test({ repo, proxy }), repoLayer(direct), { local: true })
    }).pipe(Effect.provide(repoLayer(Redacted.make(proxied.href)), { local: true }))
  }).pipe(Effect.scoped)

/** Makes a claim, and loses the connection between its commit and its response. `isCommitted` then finds a row. */
const loseResponse = (
  { proxy, repo }: Parameters<Parameters<typeof withProxy>[0]>[0],
  claim: Effect.Effect<unknown, DatabaseUnavailable>,
  isCommitted: Effect.Effect<ReadonlyArray<unknown>, unknown>
) =>
  Effect.gen(function* () {
    yield* repo.ping
    yield* proxy.loseResponses
    const claiming = yield* Effect.forkChild(Effect.flip(claim))
    yield* Effect.repeat(isCommitted, { until: (rows) => rows.length === 1 })
    yield* proxy.disconnect("refused")
    assert.strictEqual((yield* Fiber.join(claiming))._tag, "DatabaseUnavailable")
    yield* proxy.reconnect
  })

const loseClaim = (
  world: Parameters<Parameters<typeof withProxy>[0]>[0],
  owner: ClaimOwner | undefined,
  count: number
) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { targets } = world.repo
    // Opens the connection for claims.
    yield* targets.claim(0, lease)
    yield* loseResponse(
      world,
      targets.claim(100, lease, owner === undefined ? {} : { owner }),
      sql`SELECT FROM post_targets WHERE status = 'publishing' HAVING count(*) = ${count}`
    )
  })

const slots = { perAccount: 4, platforms: { twitter: 10, bluesky: 10 }, perHost: 10, hosts: {} }

const claimUploads = (id: ProcessId) =>
  Effect.flatMap(Repo, ({ platformUploads }) =>
    platformUploads.claim(10, lease, { owner: { id, takesOver: true }, slots })
  )

describe("A claim whose response is lost", () => {
  it.live("The next claim of the process has its targets, as if they had not been claimed before", () =>
    withProxy((world) =>
      Effect.gen(function* () {
        const { processes, targets } = world.repo
        const [sent, fresh] = yield* makeDuePosts(2, 1)
        const sql = yield* SqlClient.SqlClient
        yield* sql`UPDATE post_targets SET prepared = '{}', sent_at = now() - interval '1 hour', attempts = 2, looks = 1
          WHERE id = ${sent?.targetId ?? ""}::uuid`
        const owner = { ...(yield* processes.renew(null, lease)), takesOver: true }
        yield* loseClaim(world, owner, 2)
        const claims = yield* targets.claim(100, lease, { owner })
        assert.sameDeepMembers(
          claims.map(({ attempts, reconcileAttempts, targetId }) => ({ attempts, reconcileAttempts, targetId })),
          [
            { attempts: 3, reconcileAttempts: 2, targetId: sent?.targetId },
            { attempts: 1, reconcileAttempts: 0, targetId: fresh?.targetId }
          ]
        )
        assert.isEmpty(yield* targets.claim(100, lease, { owner }))
      })
    )
  )

  it.live("A check of posts that are due soon is made at the next claim of the process", () =>
    withProxy((world) =>
      Effect.gen(function* () {
        const { outlooks } = world.repo
        const other = yield* Repo
        const sql = yield* SqlClient.SqlClient
        const workspaceId = yield* makeWorkspace()
        yield* outlooks.plan(10)
        // Not now(): a claim uses the caller's clock, which has whole milliseconds and can be behind the server's.
        yield* sql`UPDATE outlooks SET next_at = now() - interval '1 second'`
        yield* loseResponse(
          world,
          outlooks.claim(lease),
          sql`SELECT FROM outlooks WHERE claim_token IS NOT NULL HAVING count(*) = 1`
        )
        assert.isTrue(Option.isNone(yield* other.outlooks.claim(lease)))
        const found = yield* outlooks.claim(lease)
        assert.strictEqual(Option.getOrThrow(found).workspaceId, workspaceId)
        assert.isTrue(Option.isNone(yield* outlooks.claim(lease)))
      })
    )
  )

  it.live("Uploads go on at the next claim of the process, as if they had not been claimed before", () =>
    Effect.gen(function* () {
      const direct = yield* freshDatabase
      const proxied = new URL(Redacted.value(direct))
      const proxy = yield* statementProxy({ host: proxied.hostname, port: Number(proxied.port) })
      proxied.port = String(proxy.port)
      yield* Effect.gen(function* () {
        const { platformUploads, posts, processes } = yield* Repo
        const workspace = yield* makeWorkspace()
        const media = [yield* storeFile(workspace)]
        yield* posts.create(workspace, { ...plan(yield* DateTime.now), media })
        const { id } = yield* processes.renew(null, lease)
        const [claim] = yield* claimUploads(id)
        if (claim === undefined) return assert.fail("The upload was not claimed")
        yield* platformUploads.release(claim)
        const statement = proxy.passed().find((each) => each.includes("busy AS MATERIALIZED")) ?? ""
        yield* proxy.arm({ statement, fault: "lost after", onReached: () => undefined })
        assert.strictEqual((yield* Effect.flip(claimUploads(id)))._tag, "DatabaseUnavailable")
        assert.isFalse(yield* proxy.disarm)
        const ofAnother = Effect.gen(function* () {
          return yield* claimUploads((yield* (yield* Repo).processes.renew(null, lease)).id)
        })
        assert.isEmpty(yield* Effect.provide(ofAnother, repoLayer(direct), { local: true }))
        const again = yield* claimUploads(id)
        assert.deepStrictEqual(
          again.map(({ attempts, targetId }) => ({ attempts, targetId })),
          [{ attempts: 1, targetId: claim.targetId }]
        )
        assert.isEmpty(yield* claimUploads(id))
      }).pipe(Effect.provide(repoLayer(Redacted.make(proxied.href)), { local: true }))
    }).pipe(Effect.scoped)
  )

  it.live("Another process leaves its targets alone, and what it had lost twice goes out once", () =>
    withProxy((world) =>
      Effect.gen(function* () {
        const other = yield* Repo
        yield* makeDuePosts(2, 1)
        yield* loseClaim(world, undefined, 2)
        assert.isEmpty(yield* other.targets.claim(100, lease))
        yield* makeDuePosts(1, 1)
        yield* loseClaim(world, undefined, 3)
        assert.lengthOf(yield* world.repo.targets.claim(100, lease), 3)
        assert.isEmpty(yield* world.repo.targets.claim(100, lease))
      })
    )
  )
})
