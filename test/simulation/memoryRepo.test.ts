import { assert, layer } from "@effect/vitest"
import { DateTime, Duration, Effect, Option, Random, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { IntegrationId, PostId, WorkspaceId } from "../../src/domain/ids.ts"
import type { PostPatch } from "../../src/domain/posts/newPost.ts"
import type { LivePlatform } from "../../src/domain/platform.ts"
import type { Post } from "../../src/domain/posts/post.ts"
import { planPublish, planUpdate } from "../../src/domain/posts/postPlan.ts"
import type { Settlement } from "../../src/domain/publishing/settlement.ts"
import { parsePost } from "../../src/repo/posts/rows.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { repoLayer } from "../support/database/testDatabase.ts"
import { plan } from "../support/database/fixtures.ts"
import type { Claim } from "../../src/repo/targets/Targets.ts"
import { makePrng, type Prng } from "./prng.ts"
import { makeIds } from "./ids.ts"
import { makeProcess } from "./process.ts"
import { makeMemoryDatabase } from "./memoryDatabase.ts"
import { makeMemoryRepo } from "./memoryRepo.ts"
import { makeWorld } from "./world.ts"

type Service = Repo["Service"]

const lease = Duration.minutes(3)
const live: readonly [LivePlatform, LivePlatform] = ["twitter", "bluesky"]

/** A Repo under comparison, with a workspace, and what the steps of a test have created in it. */
interface Store {
  readonly repo: Service
  readonly workspace: WorkspaceId
  readonly accounts: Readonly<Record<LivePlatform, IntegrationId>>
  readonly reconnect: (platform: LivePlatform) => Effect.Effect<unknown, { readonly _tag: string }>
  readonly posts: Array<PostId>
  readonly claims: Map<string, Claim>
}

const accountOn = (platform: LivePlatform) => ({
  platform,
  accountId: `account-${platform}`,
  username: "team",
  displayName: null,
  avatarUrl: null,
  serviceUrl: null,
  credentials: Redacted.make("credentials")
})

const realStore = Effect.gen(function* () {
  const repo = yield* Repo
  const { id: workspace } = yield* repo.workspaces.create("A team")
  const twitter = yield* repo.integrations.connect(workspace, accountOn("twitter"))
  const bluesky = yield* repo.integrations.connect(workspace, accountOn("bluesky"))
  const store: Store = {
    repo,
    workspace,
    accounts: { twitter: twitter.id, bluesky: bluesky.id },
    reconnect: (platform) => repo.integrations.connect(workspace, accountOn(platform)),
    posts: [],
    claims: new Map()
  }
  return store
})

const memoryStore = Effect.gen(function* () {
  const world = yield* makeWorld
  const ids = yield* makeIds
  const database = makeMemoryDatabase(world)
  const { reconnect, repo } = yield* makeMemoryRepo(world, database, makeProcess(world, "memory", 0, false), ids)
  const accounts = { twitter: ids.integration(), bluesky: ids.integration() }
  const workspace = ids.workspace()
  const setUp = database.begin()
  for (const platform of live) {
    const id = accounts[platform]
    const { accountId, username } = accountOn(platform)
    setUp.integrations.put(id, {
      id,
      workspaceId: workspace,
      platform,
      accountId,
      username,
      status: "connected",
      credentials: "credentials",
      version: 1
    })
  }
  database.commit(setUp)
  const store: Store = {
    repo,
    workspace,
    accounts,
    reconnect: (platform) => reconnect(accounts[platform], "credentials"),
    posts: [],
    claims: new Map()
  }
  return store
})

/** What both stores have to agree on about a post: all but its id. */
const visible = ({ id: _, ...post }: Post) => post

/** What both stores have to agree on about a claim, with the index of its post instead of ids. */
const visibleClaim = (store: Store, claim: Claim) => {
  const {
    attempts,
    dueSince,
    integration,
    leaseUntil,
    platform,
    prepared,
    reconcileAttempts,
    resendOrdered,
    sentAt,
    text
  } = claim
  const post = store.posts.indexOf(claim.postId)
  const { connected } = integration
  return {
    post,
    attempts,
    connected,
    dueSince,
    leaseUntil,
    reconcileAttempts,
    platform,
    prepared,
    resendOrdered,
    sentAt,
    text
  }
}

const claimKey = (store: Store, claim: Claim) =>
  `${store.posts.indexOf(claim.postId)} ${claim.platform} ${claim.attempts}`

const drawSettlement = (prng: Prng, now: DateTime.Utc): Settlement => {
  const isUnknown = prng.chance(0.5)
  const error = { message: "No", retryable: true }
  switch (prng.pick(["published", "retry", "retry", "failed"])) {
    case "retry":
      return {
        _tag: "Retry",
        at: DateTime.addDuration(now, Duration.seconds(prng.between(10, 200))),
        error: { ...error, code: isUnknown ? "outcome_unknown" : "unavailable" }
      }
    case "failed":
      return { _tag: "Failed", error: { ...error, code: isUnknown ? "outcome_unknown" : "rejected" } }
    default:
      return { _tag: "Published", publication: { platformPostId: "1", url: "https://platform.test/1" } }
  }
}

const drawPatch = (prng: Prng, now: DateTime.Utc): PostPatch => {
  const time = DateTime.addDuration(now, Duration.millis(prng.between(0, 300_000)))
  return prng.pick<PostPatch>([
    { content: `Text ${prng.between(1, 1000)}` },
    { scheduled_at: time },
    { scheduled_at: time, status: "scheduled" },
    { status: "draft" }
  ])
}

type Step = (store: Store) => Effect.Effect<unknown, { readonly _tag: string }>

/** Draws the next step, which is then taken on both stores. */
const drawStep = (prng: Prng, now: DateTime.Utc, posts: number, keys: ReadonlyArray<string>): Step => {
  const post = prng.between(0, Math.max(0, posts - 1))
  const key = keys[prng.between(0, keys.length - 1)]
  const platform = prng.pick(live)
  const onPost =
    (act: (store: Store, id: PostId) => ReturnType<Step>): Step =>
    (store) => {
      const id = store.posts[post]
      return id === undefined ? Effect.void : act(store, id)
    }
  const onClaim =
    (act: (store: Store, claim: Claim) => ReturnType<Step>): Step =>
    (store) => {
      const claim = key === undefined ? undefined : store.claims.get(key)
      return claim === undefined ? Effect.void : act(store, claim)
    }
  const claim: Step = (store) =>
    Effect.map(store.repo.targets.claim(10, lease), (claims) => {
      for (const claim of claims) store.claims.set(claimKey(store, claim), claim)
      return claims
        .map((claim) => visibleClaim(store, claim))
        .toSorted((left, right) => orderKey(left).localeCompare(orderKey(right)))
    })
  switch (
    prng.pick([
      "create",
      "create",
      "claim",
      "claim",
      "claim",
      "begin",
      "begin",
      "settle",
      "settle",
      "settle",
      "release",
      "update",
      "update",
      "publish",
      "publish",
      "remove",
      "mark",
      "reconnect",
      "nextDue"
    ])
  ) {
    case "create": {
      const at = prng.chance(0.2) ? null : DateTime.addDuration(now, Duration.millis(prng.between(0, 300_000)))
      const newPlan = {
        ...plan(at, prng.pick([["twitter"], ["bluesky"], ["bluesky", "twitter"]])),
        content: `Text ${posts}`
      }
      return (store) =>
        Effect.map(store.repo.posts.create(store.workspace, newPlan), ({ id, ...created }) => {
          store.posts.push(id)
          return created
        })
    }
    case "claim":
      return claim
    case "begin":
      // Only in PostgreSQL the credentials that it returns are encrypted.
      return onClaim((store, held) =>
        Effect.map(store.repo.targets.beginSend(held, { text: held.text }, lease), (sealed) => sealed !== undefined)
      )
    case "settle": {
      const settlement = drawSettlement(prng, now)
      return onClaim((store, held) =>
        Effect.map(store.repo.targets.settle(held, settlement), ({ content, status, targets }) => ({
          content,
          status,
          targets: targets.map(({ error, platform }) => ({ error, platform }))
        }))
      )
    }
    case "release":
      return onClaim((store, held) => store.repo.targets.release(held))
    case "update": {
      const patch = drawPatch(prng, now)
      return onPost((store, id) =>
        Effect.map(
          store.repo.posts.update(store.workspace, id, (stored) => planUpdate(stored, patch, now)),
          visible
        )
      )
    }
    case "publish":
      return onPost((store, id) => Effect.map(store.repo.posts.publish(store.workspace, id, planPublish), visible))
    case "remove":
      return onPost((store, id) => store.repo.posts.remove(store.workspace, id))
    case "mark":
      return onClaim((store, { integration }) =>
        store.repo.integrations.markNeedsReconnect(integration.id, integration.version)
      )
    case "reconnect":
      return (store) => Effect.asVoid(store.reconnect(platform))
    default:
      return (store) =>
        Effect.map(store.repo.targets.nextDue(now), ({ at, isAnyLeft }) => ({ at: Option.getOrNull(at), isAnyLeft }))
  }
}

const orderKey = ({ platform, post }: { readonly platform: LivePlatform; readonly post: number }) =>
  `${post} ${platform}`

const resultOf = (store: Store, step: Step) =>
  Effect.match(step(store), { onFailure: ({ _tag }) => _tag, onSuccess: (value) => value ?? "done" })

/** All posts of a store, oldest first. */
const realPosts = ({ repo, workspace }: Store) =>
  Effect.map(repo.posts.list(workspace, { status: null, limit: 1000, maxBytes: 1e9, before: null }), ({ posts }) =>
    posts.toReversed().map(({ json }) => visible(parsePost(json)))
  )
const memoryPosts = ({ posts, repo, workspace }: Store) =>
  Effect.map(
    Effect.forEach(posts, (id) => Effect.option(repo.posts.get(workspace, id))),
    (found) => found.flatMap(Option.toArray).map(visible)
  )

layer(repoLayer)("The in-memory Repo of the simulation", (it) => {
  it.effect.each(Array.from({ length: 8 }, (_, index) => index + 1))(
    "Every step of random sequence %i has the same result as in PostgreSQL",
    (seed) =>
      Effect.gen(function* () {
        yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`DELETE FROM posts`)
        const prng = yield* makePrng
        const real = yield* realStore
        const memory = yield* memoryStore
        for (let step = 0; step < 150; step++) {
          yield* TestClock.adjust(prng.chance(0.3) ? prng.between(1000, 120_000) : prng.between(1, 50))
          const next = drawStep(prng, yield* DateTime.now, real.posts.length, [...real.claims.keys()])
          const expected = yield* resultOf(real, next)
          assert.deepStrictEqual(yield* resultOf(memory, next), expected, `step ${step}`)
          if (step % 5 !== 0) continue
          assert.deepStrictEqual(yield* memoryPosts(memory), yield* realPosts(real), `posts after step ${step}`)
        }
      }).pipe(Random.withSeed(seed))
  )
})
