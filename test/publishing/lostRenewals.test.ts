import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Layer, Redacted } from "effect"
import { Notifier } from "../../src/notifier/Notifier.ts"
import { Publisher } from "../../src/publishing/Publisher.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { type StatementFault, statementProxy } from "../chaos/support/statementProxy.ts"
import { repoLayer } from "../chaos/support/world.ts"
import { plan } from "../support/database/fixtures.ts"
import { freshDatabase } from "../support/database/testDatabase.ts"
import { makeRenewingX } from "./renewingX.ts"

/** Parts of the text by which a renewal's statements are recognized. */
const statements = {
  "that takes its lease": "free AS MATERIALIZED ( SELECT i.id FROM json_to_recordset",
  "that stores what it brought": "renewed AS MATERIALIZED"
} as const

/**
 * Publishes two posts of an account whose access expires before each. The second renewal's statement loses its
 * connection.
 */
const publishAround = Effect.fnUntraced(function* (part: string, fault: StatementFault) {
  const direct = yield* freshDatabase
  const url = new URL(Redacted.value(direct))
  const proxy = yield* statementProxy({ host: url.hostname, port: Number(url.port) })
  url.port = String(proxy.port)
  const x = makeRenewingX()
  yield* Effect.gen(function* () {
    const { integrations, posts, workspaces } = yield* Repo
    const publisher = yield* Publisher
    const { id: workspace } = yield* workspaces.create("A team")
    const account = {
      platform: "twitter",
      accountId: "44",
      username: "team",
      displayName: null,
      avatarUrl: null,
      serviceUrl: null
    } as const
    const { id: integration } = yield* integrations.connect(workspace, { ...account, credentials: x.credentials() })
    const publish = Effect.fnUntraced(function* (content: string) {
      const { id } = yield* posts.create(workspace, { ...plan(yield* DateTime.now, ["twitter"]), content })
      const tick = Effect.andThen(Effect.ignore(publisher.tick), publisher.idle)
      yield* Effect.repeat(
        Effect.andThen(
          tick,
          Effect.orElseSucceed(posts.get(workspace, id), () => null)
        ),
        {
          until: (post) => post !== null && post.status !== "scheduled" && post.status !== "publishing"
        }
      )
    })
    yield* publish("First")
    x.endAccess()
    const statement = proxy.passed().find((each) => each.includes(part)) ?? assert.fail("There is no such statement")
    yield* proxy.arm({ statement, fault, onReached: () => undefined })
    yield* publish("Second")
    assert.isFalse(yield* proxy.disarm)
    assert.deepStrictEqual(x.texts(), ["First", "Second"])
    assert.deepStrictEqual(x.spent, ["refresh-1", "refresh-2"])
    const storedByAnother = Effect.gen(function* () {
      return Redacted.value(yield* (yield* Repo).integrations.credentials(integration))
    }).pipe(Effect.provide(repoLayer(direct), { local: true }))
    yield* Effect.repeat(storedByAnother, { until: (stored) => stored === Redacted.value(x.credentials()) })
    const [stored] = yield* integrations.list(workspace)
    assert.strictEqual(stored?.status, "connected")
  }).pipe(
    Effect.provide(
      Publisher.layer.pipe(
        Layer.provide(Notifier.layer),
        Layer.provide(x.layer),
        Layer.provideMerge(repoLayer(Redacted.make(url.href)))
      ),
      { local: true }
    )
  )
}, Effect.scoped)

describe("A renewal whose database connection is lost", () => {
  for (const [which, part] of Object.entries(statements)) {
    for (const [fault, what] of [
      ["lost after", "the response to"],
      ["lost before", "the request for"]
    ] as const) {
      it.live(`X is asked once and the post goes out although ${what} the statement ${which} is lost`, () =>
        publishAround(part, fault)
      )
    }
  }
})
