import { assert, layer } from "@effect/vitest"
import { DateTime, Deferred, Duration, Effect, Fiber, type Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { OutcomeUnknown, Preparing, type Publication } from "../../src/domain/publishing/platformError.ts"
import { nextTargetId } from "../../src/domain/ids.ts"
import { findAddresses } from "../../src/publishing/findAddresses.ts"
import { ProcessLease } from "../../src/publishing/ProcessLease.ts"
import { prepareTimeout } from "../../src/publishing/timing.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { plan } from "../support/database/fixtures.ts"
import { settled } from "./claimed.ts"
import {
  accepted,
  callsOf,
  freshSlow,
  later,
  type Made,
  makePost,
  minute,
  parts,
  publishDue,
  published,
  shown,
  Slow,
  stack,
  stateOf,
  unaddressed
} from "./slowPlatform.ts"

layer(stack)("A platform that tells an address later", (it) => {
  const urlOf = (post: Made) => Effect.map(stateOf(post), ({ target }) => target.platform_post_url)
  const look = (duration: Duration.Input) => Effect.andThen(TestClock.adjust(duration), findAddresses)
  const found = (id: string): Effect.Effect<Option.Option<Publication>> =>
    Effect.succeedSome({ platformPostId: id, url: `https://platform.test/${id}` })

  it.effect("The post is published at once, and its address is filled in", () =>
    Effect.gen(function* () {
      const { results } = yield* freshSlow
      results.send.push(Effect.succeed(unaddressed))
      results.findAddress.push(Effect.succeedNone, found("7"))
      const post = yield* makePost()
      yield* later(minute)
      assert.deepStrictEqual(yield* shown(post), ["published", "published", null])
      assert.isNull(yield* urlOf(post))
      yield* callsOf
      yield* look("59 seconds")
      assert.deepStrictEqual(yield* callsOf, [])
      yield* look("1 second")
      assert.isNull(yield* urlOf(post))
      yield* look("9 minutes")
      yield* look(minute)
      assert.strictEqual(yield* urlOf(post), "https://platform.test/7")
      yield* look("2 days")
      assert.deepStrictEqual(yield* callsOf, ["findAddress", "findAddress"])
    })
  )

  it.effect("It is asked for by the time of its send, however long the platform processed it", () =>
    Effect.gen(function* () {
      const { results, soughtSends } = yield* Slow
      results.send.push(Effect.fail(accepted))
      results.reconcile.push(Effect.succeed(unaddressed))
      const post = yield* makePost()
      yield* later(minute)
      yield* later(minute)
      yield* look(minute)
      assert.deepStrictEqual(soughtSends.at(-1), post.at)
    })
  )

  it.effect("It is asked four times within a little more than a day, and then no more", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { results } = yield* freshSlow
      results.send.push(Effect.succeed(unaddressed))
      const post = yield* makePost()
      yield* later(minute)
      yield* callsOf
      yield* Effect.repeat(look("10 minutes"), { times: 6 * 24 * 3 })
      assert.deepStrictEqual(
        yield* callsOf,
        Array.from({ length: 4 }, () => "findAddress")
      )
      assert.lengthOf(yield* sql`SELECT FROM address_looks`, 0)
      assert.isNull(yield* urlOf(post))
    })
  )

  it.effect("Two posts of one account do not get the same address", () =>
    Effect.gen(function* () {
      const { results } = yield* freshSlow
      results.send.push(Effect.succeed(unaddressed), Effect.succeed(unaddressed))
      results.findAddress.push(found("9"), found("9"))
      const post = yield* makePost()
      const { id: second } = yield* (yield* Repo).posts.create(post.workspace, plan(post.at))
      yield* later(minute)
      yield* publishDue
      yield* look(minute)
      const urls = [yield* urlOf(post), yield* urlOf({ ...post, id: second })]
      assert.sameMembers(urls, [null, "https://platform.test/9"])
    })
  )

  it.effect("A post does not get the address of a part of another thread of its account", () =>
    Effect.gen(function* () {
      const { results } = yield* freshSlow
      const second = { platformPostId: "42", url: "https://platform.test/42" }
      results.send.push(Effect.succeed(published), Effect.succeed(second), Effect.succeed(published))
      results.findAddress.push(found("42"))
      const thread = yield* makePost({ thread: parts })
      yield* later(minute)
      yield* Effect.repeat(publishDue, { times: 2 })
      assert.deepStrictEqual(yield* shown(thread), ["published", "published", null])
      results.send.push(Effect.succeed(unaddressed))
      const { id } = yield* (yield* Repo).posts.create(thread.workspace, plan(yield* DateTime.now))
      yield* publishDue
      yield* callsOf
      yield* look(minute)
      assert.deepStrictEqual(yield* callsOf, ["findAddress"])
      assert.isNull(yield* urlOf({ ...thread, id }))
    })
  )

  it.effect("A post does not get the address of the last part of a thread that was filled in", () =>
    Effect.gen(function* () {
      const { results } = yield* freshSlow
      results.send.push(Effect.succeed(published), Effect.succeed(published), Effect.succeed(unaddressed))
      results.findAddress.push(found("53"), found("53"))
      const thread = yield* makePost({ thread: parts })
      yield* later(minute)
      yield* Effect.repeat(publishDue, { times: 2 })
      yield* look(minute)
      results.send.push(Effect.succeed(unaddressed))
      const { id } = yield* (yield* Repo).posts.create(thread.workspace, plan(yield* DateTime.now))
      yield* publishDue
      yield* callsOf
      yield* look(minute)
      assert.deepStrictEqual(yield* callsOf, ["findAddress"])
      assert.isNull(yield* urlOf({ ...thread, id }))
    })
  )

  it.effect("The id of a post on another account is no reason to miss an address", () =>
    Effect.gen(function* () {
      const { results } = yield* freshSlow
      results.send.push(Effect.succeed({ platformPostId: "61", url: "https://platform.test/61" }))
      yield* makePost()
      yield* later(minute)
      results.send.push(Effect.succeed(unaddressed))
      results.findAddress.push(found("61"))
      const post = yield* makePost()
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE integrations SET account_id = 'another' WHERE workspace_id = ${post.workspace}::uuid`
      yield* sql`UPDATE post_targets SET account_id = 'another' WHERE post_id = ${post.id}::uuid`
      yield* later(minute)
      yield* look(minute)
      assert.strictEqual(yield* urlOf(post), "https://platform.test/61")
    })
  )

  it.effect.each([
    ["is disconnected", "status = 'needs_reconnect'"],
    ["was replaced by another", "account_id = 'another'"]
  ] as const)("An account that %s is not asked for the address", ([, change]) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { results } = yield* freshSlow
      results.send.push(Effect.succeed(unaddressed))
      const post = yield* makePost()
      yield* later(minute)
      yield* sql`UPDATE integrations SET ${sql.literal(change)} WHERE workspace_id = ${post.workspace}::uuid`
      yield* callsOf
      yield* look(minute)
      assert.deepStrictEqual(yield* callsOf, [])
    })
  )

  it.effect("A look that fails, hangs or finds no address keeps no other from it, and is repeated", () =>
    Effect.gen(function* () {
      const { results } = yield* freshSlow
      const hangs = yield* Deferred.make<void>()
      results.send.push(...Array.from({ length: 4 }, () => Effect.succeed(unaddressed)))
      results.findAddress.push(
        Effect.die("A mistake"),
        Effect.andThen(Deferred.succeed(hangs, undefined), Effect.never),
        Effect.succeedSome({ platformPostId: "70", url: null }),
        ...["71", "72", "73", "74"].map(found)
      )
      const post = yield* makePost()
      const { posts } = yield* Repo
      const others = yield* Effect.forEach(["b", "c", "d"], (content) =>
        posts.create(post.workspace, { ...plan(post.at), content })
      )
      yield* later(minute)
      yield* Effect.repeat(publishDue, { times: 3 })
      const urls = Effect.map(
        Effect.forEach([post.id, ...others.map(({ id }) => id)], (id) => urlOf({ ...post, id })),
        (all) => all.filter((url) => url !== null).toSorted()
      )
      yield* TestClock.adjust(minute)
      const looking = yield* Effect.forkChild(findAddresses)
      yield* Deferred.await(hangs)
      yield* settled
      yield* TestClock.adjust(prepareTimeout)
      yield* Fiber.join(looking)
      assert.deepStrictEqual(yield* urls, ["https://platform.test/71"])
      yield* look("10 minutes")
      assert.deepStrictEqual(
        yield* urls,
        [71, 72, 73, 74].map((id) => `https://platform.test/${id}`)
      )
    })
  )

  it.effect("Nothing is asked by a process that may not claim", () =>
    Effect.gen(function* () {
      const { results } = yield* freshSlow
      results.send.push(Effect.succeed(unaddressed))
      yield* makePost()
      yield* later(minute)
      yield* callsOf
      yield* TestClock.adjust(minute)
      yield* Effect.provideService(findAddresses, ProcessLease, {
        ...(yield* ProcessLease),
        right: Effect.succeedNone
      })
      assert.deepStrictEqual(yield* callsOf, [])
    })
  )

  it.effect("A part whose id is known goes on at once, and its address is filled in once the thread is out", () =>
    Effect.gen(function* () {
      const { results } = yield* freshSlow
      results.send.push(Effect.succeed({ platformPostId: "81", url: null, addressFollows: true }))
      results.findAddress.push(found("81"), found("81"))
      const post = yield* makePost({ thread: parts })
      yield* later(minute)
      yield* look(minute)
      assert.deepStrictEqual(yield* shown(post), ["publishing", "pending", null])
      assert.isNull(yield* urlOf(post))
      yield* Effect.repeat(publishDue, { times: 2 })
      assert.deepStrictEqual(yield* shown(post), ["published", "published", null])
      yield* look("10 minutes")
      const { target } = yield* stateOf(post)
      assert.deepStrictEqual(
        [target.platform_post_url, target.parts?.[0]?.platform_post_url],
        ["https://platform.test/81", "https://platform.test/81"]
      )
      assert.notInclude(yield* callsOf, "reconcile")
    })
  )

  it.effect("It owns a post that is found by its text until its id is known", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { results } = yield* freshSlow
      results.send.push(Effect.succeed(unaddressed))
      results.findAddress.push(found("91"))
      const post = yield* makePost({ content: "Ours" })
      yield* later(minute)
      const { targets } = yield* Repo
      const [row] = yield* sql`SELECT account_id FROM post_targets WHERE post_id = ${post.id}::uuid`
      const accountId = yield* Schema.decodeUnknownEffect(Schema.String)(row?.["account_id"])
      const other = { accountId, platform: "twitter", targetId: yield* nextTargetId } as const
      assert.deepStrictEqual(yield* targets.unresolvedOthers(other, post.at), ["Ours"])
      yield* look(minute)
      assert.deepStrictEqual(yield* targets.unresolvedOthers(other, post.at), [])
      assert.deepStrictEqual([...(yield* targets.publishedByOthers(other, ["91", "92"]))], ["91"])
    })
  )

  it.effect("A post that was looked for after a restore gets its address too", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { results } = yield* freshSlow
      results.find.push(Effect.succeedSome(unaddressed))
      results.findAddress.push(found("51"))
      const post = yield* makePost()
      yield* sql`UPDATE post_targets SET reconcile_from = due_since - interval '1 hour' WHERE post_id = ${post.id}::uuid`
      yield* later(minute)
      assert.deepStrictEqual(yield* shown(post), ["published", "published", null])
      yield* look(minute)
      assert.strictEqual(yield* urlOf(post), "https://platform.test/51")
    })
  )

  it.effect("The part of a thread that others reply to is asked for until its id is known", () =>
    Effect.gen(function* () {
      const { results } = yield* freshSlow
      results.send.push(Effect.succeed(unaddressed))
      results.reconcile.push(Effect.succeed(unaddressed))
      const post = yield* makePost({ thread: parts })
      yield* later(minute)
      assert.deepStrictEqual(yield* shown(post), ["publishing", "publishing", null])
      yield* later(minute)
      yield* later(minute)
      yield* Effect.repeat(publishDue, { times: 2 })
      assert.deepStrictEqual(yield* shown(post), ["published", "published", null])
      assert.deepStrictEqual(
        (yield* callsOf).filter((call) => !call.startsWith("prepare")),
        ["send Hello from nothing", "reconcile", "reconcile", "send Second from nothing", "send Third from nothing"]
      )
    })
  )

  it.effect("The address of each part of a thread is filled in, also where several follow", () =>
    Effect.gen(function* () {
      const { results } = yield* freshSlow
      const first = { platformPostId: "31", url: "https://platform.test/31" }
      const withoutUrl = (platformPostId: string) => ({ platformPostId, url: null, addressFollows: true })
      results.send.push(Effect.succeed(first), Effect.succeed(withoutUrl("32")), Effect.succeed(withoutUrl("33")))
      results.findAddress.push(found("32"), found("33"))
      const post = yield* makePost({ thread: parts })
      yield* later(minute)
      yield* Effect.repeat(publishDue, { times: 2 })
      yield* look(minute)
      yield* look("10 minutes")
      const { target } = yield* stateOf(post)
      assert.deepStrictEqual(
        (target.parts ?? []).map(({ platform_post_url }) => platform_post_url),
        [31, 32, 33].map((id) => `https://platform.test/${id}`)
      )
    })
  )

  it.effect("The address of a part is filled in although the thread failed after it", () =>
    Effect.gen(function* () {
      const { results } = yield* freshSlow
      results.send.push(
        Effect.succeed({ platformPostId: "41", url: null, addressFollows: true }),
        Effect.fail(new OutcomeUnknown({ message: "Lost", conclusive: true }))
      )
      results.findAddress.push(found("41"))
      const post = yield* makePost({ thread: parts })
      yield* later(minute)
      yield* publishDue
      assert.deepStrictEqual(yield* shown(post), ["failed", "failed", "outcome_unknown"])
      yield* look(minute)
      const { target } = yield* stateOf(post)
      assert.strictEqual(target.parts?.[0]?.platform_post_url, "https://platform.test/41")
    })
  )

  it.effect("Nothing is asked of a platform while publishing is held", () =>
    Effect.gen(function* () {
      const { results } = yield* freshSlow
      const sql = yield* SqlClient.SqlClient
      results.send.push(Effect.succeed(unaddressed))
      yield* makePost()
      yield* later(minute)
      yield* callsOf
      yield* sql`INSERT INTO publishing_state (held_since) VALUES (clock_timestamp())
        ON CONFLICT (only_row) DO UPDATE SET held_since = clock_timestamp()`
      yield* look(minute)
      yield* sql`UPDATE publishing_state SET held_since = NULL`
      assert.deepStrictEqual(yield* callsOf, [])
      yield* look(0)
      assert.deepStrictEqual(yield* callsOf, ["findAddress"])
    })
  )

  it.effect("A look keeps the id that is known, and stores one that comes without an address", () =>
    Effect.gen(function* () {
      const { results } = yield* freshSlow
      const sql = yield* SqlClient.SqlClient
      const idOf = (post: Made) =>
        Effect.map(
          sql`SELECT platform_post_id AS id FROM post_targets WHERE post_id = ${post.id}::uuid`,
          ([row]) => row?.["id"]
        )
      results.send.push(Effect.succeed({ platformPostId: "77", url: null, addressFollows: true }))
      results.findAddress.push(Effect.succeedSome({ platformPostId: null, url: "https://platform.test/77" }))
      const first = yield* makePost()
      yield* later(minute)
      yield* look(minute)
      assert.deepStrictEqual([yield* idOf(first), yield* urlOf(first)], ["77", "https://platform.test/77"])
      results.send.push(Effect.succeed(unaddressed))
      results.findAddress.push(Effect.succeedSome({ platformPostId: "78", url: null }), found("78"))
      const second = yield* makePost()
      yield* later(minute)
      yield* look(minute)
      assert.deepStrictEqual([yield* idOf(second), yield* urlOf(second)], ["78", null])
      yield* look("10 minutes")
      assert.strictEqual(yield* urlOf(second), "https://platform.test/78")
    })
  )

  it.effect("A deleted post without a known id still owns what is found by its text", () =>
    Effect.gen(function* () {
      const { results } = yield* freshSlow
      results.send.push(Effect.succeed(unaddressed))
      const post = yield* makePost({ content: "Deleted" })
      yield* later(minute)
      const { posts, targets } = yield* Repo
      const other = { accountId: "account-twitter", platform: "twitter", targetId: yield* nextTargetId } as const
      assert.deepStrictEqual(yield* targets.unresolvedOthers(other, post.at), ["Deleted"])
      yield* posts.remove(post.workspace, post.id)
      assert.deepStrictEqual(yield* targets.unresolvedOthers(other, post.at), ["Deleted"])
      const sql = yield* SqlClient.SqlClient
      yield* sql`DELETE FROM deleted_targets`
    })
  )

  it.effect("A part whose id is not known is asked for from its send on", () =>
    Effect.gen(function* () {
      const { results } = yield* freshSlow
      const preparation = { message: "", begun: { begun: "a" }, askAfter: Duration.hours(7) }
      results.prepare.push(Effect.fail(new Preparing(preparation)))
      results.send.push(Effect.succeed(unaddressed))
      const post = yield* makePost({ thread: parts })
      yield* later(minute)
      yield* later("7 hours")
      assert.deepStrictEqual(yield* shown(post), ["publishing", "publishing", null])
      yield* Effect.repeat(later(minute), { times: 2 })
      assert.deepStrictEqual(yield* shown(post), ["published", "published", null])
    })
  )

  it.effect("A part without an id that does not follow either is left to a person", () =>
    Effect.gen(function* () {
      const { results } = yield* freshSlow
      results.send.push(Effect.succeed({ platformPostId: null, url: null }))
      const post = yield* makePost({ thread: parts })
      yield* later(minute)
      assert.deepStrictEqual(yield* shown(post), ["failed", "failed", "outcome_unknown"])
    })
  )

  it.effect("The address of a thread's last part is filled in where it belongs", () =>
    Effect.gen(function* () {
      const { results } = yield* freshSlow
      const first = { platformPostId: "21", url: "https://platform.test/21" }
      const second = { platformPostId: "22", url: "https://platform.test/22" }
      results.send.push(Effect.succeed(first), Effect.succeed(second), Effect.succeed(unaddressed))
      results.findAddress.push(found("23"))
      const post = yield* makePost({ thread: parts })
      yield* later(minute)
      yield* Effect.repeat(publishDue, { times: 2 })
      yield* look(minute)
      const { target } = yield* stateOf(post)
      assert.deepStrictEqual(
        [target.platform_post_url, ...(target.parts ?? []).map(({ platform_post_url }) => platform_post_url)],
        [21, 21, 22, 23].map((id) => `https://platform.test/${id}`)
      )
    })
  )
})
