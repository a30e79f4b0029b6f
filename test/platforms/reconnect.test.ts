import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import type { PostId } from "../../src/domain/ids.ts"
import type { LivePlatform } from "../../src/domain/platform.ts"
import { Sandbox } from "../../src/sandbox/Sandbox.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { plan } from "../support/database/fixtures.ts"
import { publishDue, publishing } from "./publishing.ts"
import { baseUrl } from "./world.ts"
import { planPublish } from "../support/plans.ts"

const world = publishing(
  Effect.map(Sandbox, (sandbox) => sandbox.platforms(baseUrl)),
  Sandbox.layer()
)

const anHourLater = Effect.andThen(TestClock.adjust("1 hour"), publishDue)

/** A workspace with sandbox accounts on both platforms. */
const makeTeam = Effect.fn(function* (name: string) {
  const { integrations, notifications, posts, workspaces } = yield* Repo
  const sandbox = yield* Sandbox
  const { id: workspace } = yield* workspaces.create(name)
  const connect = Effect.fnUntraced(function* (platform: LivePlatform) {
    return yield* integrations.connect(workspace, { platform, ...(yield* sandbox.connect(platform, name)) })
  })
  const replace = Effect.fnUntraced(function* (platform: LivePlatform, seed: string) {
    const account = { platform, ...(yield* sandbox.connect(platform, seed)) }
    return yield* integrations.replaceAccount(workspace, account, { posts: "replace" })
  })
  const accounts = { twitter: yield* connect("twitter"), bluesky: yield* connect("bluesky") }
  const schedule = Effect.fnUntraced(function* (content: string, platforms: ReadonlyArray<LivePlatform>) {
    return (yield* posts.create(workspace, { ...plan(yield* DateTime.now, platforms), content })).id
  })
  const publishNow = Effect.fnUntraced(function* (id: PostId) {
    yield* posts.publish(workspace, id, planPublish)
    yield* publishDue
  })
  const targets = Effect.fnUntraced(function* (id: PostId) {
    return (yield* posts.get(workspace, id)).post_targets.map(({ error, status }) => error?.code ?? status)
  })
  /** All published posts with their accounts. */
  const published = Effect.map(sandbox.posts, (all) =>
    all.map(({ platform, text, username }) => `${username} on ${platform}: ${text}`).toSorted()
  )
  const notificationTypes = Effect.map(notifications.page(workspace, 0, 100), ({ data }) =>
    data.map(({ type }) => type).toReversed()
  )
  return { workspace, sandbox, accounts, connect, replace, schedule, publishNow, targets, published, notificationTypes }
})

layer(world)("Reconnecting an account", (it) => {
  it.effect(
    "The team is notified once, the account keeps its id, and publish-now then sends only what is missing",
    () =>
      Effect.gen(function* () {
        const { connect, publishNow, sandbox, schedule, targets, notificationTypes, workspace } = yield* makeTeam("ann")
        const { integrations } = yield* Repo
        const before = yield* integrations.list(workspace)
        yield* sandbox.endAccess("bluesky")
        yield* sandbox.revoke("bluesky")
        const first = yield* schedule("First", ["twitter", "bluesky"])
        const second = yield* schedule("Second", ["bluesky"])
        yield* publishDue
        assert.deepStrictEqual(yield* targets(first), ["published", "needs_reconnect"])
        assert.deepStrictEqual(yield* targets(second), ["needs_reconnect"])
        // The first post fails before its account is told of, or after, by which of its targets ends it.
        assert.sameMembers(yield* notificationTypes, ["post.failed", "integration.disconnected"])

        yield* connect("bluesky")
        assert.deepStrictEqual(yield* integrations.list(workspace), before)
        yield* publishNow(first)
        yield* publishNow(second)
        assert.deepStrictEqual(yield* targets(first), ["published", "published"])
        assert.deepStrictEqual(yield* targets(second), ["published"])
        assert.deepStrictEqual((yield* sandbox.posts).map(({ platform, text }) => `${platform}: ${text}`).toSorted(), [
          "bluesky: First",
          "bluesky: Second",
          "twitter: First"
        ])
      })
  )
})

layer(world)("The credentials of a claimed account", (it) => {
  it.effect.each(["twitter", "bluesky"] as const)(
    "Two workspaces with one account on %s renew their access at once, and both go on publishing",
    (platform) =>
      Effect.gen(function* () {
        const first = yield* makeTeam(`twins ${platform}`)
        const second = yield* makeTeam(`twins ${platform}`)
        for (const round of ["one", "two", "three"]) {
          yield* first.sandbox.endAccess(platform)
          const scheduled = yield* Effect.forEach([first, second], (team, index) =>
            Effect.map(team.schedule(`Round ${round}, workspace ${index}`, [platform]), (id) => ({ team, id }))
          )
          yield* publishDue
          for (const { id, team } of scheduled) assert.deepStrictEqual(yield* team.targets(id), ["published"])
        }
        assert.notInclude(yield* second.notificationTypes, "integration.disconnected")
      })
  )

  it.effect("Credentials are withheld from an attempt that began for the account connected before", () =>
    Effect.gen(function* () {
      const { accounts, replace, sandbox } = yield* makeTeam("eve")
      const { integrations } = yield* Repo
      const { id } = accounts.twitter
      const { accountId } = yield* sandbox.connect("twitter", "eve")
      const stale = yield* integrations.credentials(id, accountId)
      yield* replace("twitter", "mallory")
      const reads = [
        integrations.credentials(id, accountId),
        integrations.refreshCredentials(id, stale, Effect.die("Renewed for another account"), accountId)
      ]
      for (const error of yield* Effect.forEach(reads, Effect.flip)) {
        assert.strictEqual(error._tag, "Unavailable")
      }
    })
  )
})

layer(world)("Replacing an account", (it) => {
  it.effect.each(["twitter", "bluesky"] as const)(
    "A post that may be published on %s keeps its account, which is not replaced until the outcome is known",
    (platform) =>
      Effect.gen(function* () {
        const { accounts, publishNow, replace, sandbox, schedule, published, targets } = yield* makeTeam(
          `${platform}-one`
        )
        const earlier = yield* published
        yield* sandbox.faults.add({ platform, times: 1, fault: { kind: "reset", when: "after_commit" } })
        const id = yield* schedule("In doubt", [platform])
        const waiting = yield* schedule("Waits", [platform])
        yield* publishDue
        const expected = [...earlier, `${accounts[platform].username} on ${platform}: In doubt`]
        assert.deepStrictEqual(yield* targets(id), ["outcome_unknown"])
        const error = yield* Effect.flip(replace(platform, `${platform}-other`))
        assert.strictEqual(error._tag, "OutcomePending")

        yield* anHourLater
        assert.deepStrictEqual(yield* targets(id), ["published"])
        const first = `${accounts[platform].username} on ${platform}: Waits`
        assert.deepStrictEqual(yield* published, [...expected, first].toSorted())
        assert.deepStrictEqual(yield* targets(waiting), ["published"])
        const { integration } = yield* replace(platform, `${platform}-other`)
        const next = yield* schedule("Next", [platform])
        yield* publishNow(next)
        const last = `${integration.username} on ${platform}: Next`
        assert.deepStrictEqual(yield* published, [...expected, first, last].toSorted())
      })
  )

  it.effect("A post that was prepared but not sent is prepared again, and goes out from the next account", () =>
    Effect.gen(function* () {
      const { replace, sandbox, schedule, published, targets } = yield* makeTeam("sam")
      const earlier = yield* published
      yield* sandbox.faults.add({ platform: "twitter", times: 1, fault: { kind: "status", status: 429 } })
      const id = yield* schedule("Not yet", ["twitter"])
      yield* publishDue
      assert.deepStrictEqual(yield* targets(id), ["rate_limited"])
      const { integration } = yield* replace("twitter", "next")
      yield* anHourLater
      assert.deepStrictEqual(yield* targets(id), ["published"])
      assert.deepStrictEqual(yield* published, [...earlier, `${integration.username} on twitter: Not yet`].toSorted())
    })
  )
})
