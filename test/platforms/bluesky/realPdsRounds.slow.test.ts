import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { richText } from "../../../src/platforms/bluesky/rules/richText.ts"
import { Publisher } from "../../../src/publishing/Publisher.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { type Cut, cuts } from "../cuttingRelay.ts"
import { Pds, expired } from "../../support/pds/pds.ts"
import { seededRandom } from "../../support/generated/seededRandom.ts"
import { openPosts } from "../publishing.ts"
import { makeTeam, publishingWorld, putRecord, refreshSession, resolveHandle } from "./pdsWorld.ts"

/** In milliseconds. It takes four seconds on two free cores. */

const accounts = 4
const postsPerAccount = 15
/** Percentage of requests that are cut off. */
const cutRate = 50
/** How often a request is cut before it succeeds once, so that no post uses up its twelve attempts. */
const maxCutsInARow = 3
/** The number of rounds with faults, and in what percentage of them a session expires and the PDS is stopped. */
const faulty = { rounds: 40, runOutRate: 40, stopRate: 10 }

const keyIn = (body: string) => /"rkey":"(\w+)"/.exec(body)?.[1] ?? ""

const cutAtRandom = (seed: number) => {
  const next = seededRandom(seed)
  const inARow = new Map<string, number>()
  return (method: string, body: string): Cut | undefined => {
    const request = `${method} ${keyIn(body)}`
    const before = inARow.get(request) ?? 0
    const isCut = next() * 100 < cutRate && before < maxCutsInARow
    const cut = cuts[Math.floor(next() * cuts.length)]
    inARow.set(request, isCut ? before + 1 : 0)
    // An error status for a handle counts as one that does not resolve, which would lose the mention.
    return isCut && !(method === resolveHandle && cut === "by a gateway") ? cut : undefined
  }
}

/** A workspace with posts that fall due a second apart, a fourth of each kind. */
const busyTeam = Effect.fn(function* (index: number) {
  const team = yield* makeTeam(`team-${index}`)
  const kinds = ["", ` by @${team.person.handle}`, " #news", " https://example.com/a/rather/long/path"]
  const texts = Array.from({ length: postsPerAccount }, (_, post) => `Post ${post}${kinds[post % kinds.length]}`)
  yield* Effect.forEach(texts, team.schedule)
  yield* team.relay.rule(cutAtRandom(1000 + index))
  return { ...team, texts }
})
type BusyTeam = Effect.Success<ReturnType<typeof busyTeam>>

/** Ticks every half minute until all posts have ended, with faults by a seed. */
const playOut = Effect.fn(function* (teams: ReadonlyArray<BusyTeam>) {
  const pds = yield* Pds
  const publisher = yield* Publisher
  const next = seededRandom(7)
  const chance = (percent: number) => next() * 100 < percent
  let rounds = 0
  const round = Effect.gen(function* () {
    rounds += 1
    const isFaulty = rounds <= faulty.rounds
    yield* TestClock.adjust("30 seconds")
    const unlucky = isFaulty && chance(faulty.runOutRate) ? teams[Math.floor(next() * teams.length)] : undefined
    if (unlucky !== undefined) yield* unlucky.changeStored({ accessJwt: expired })
    const isStopped = isFaulty && chance(faulty.stopRate)
    yield* publisher.tick
    if (isStopped) yield* pds.stop
    yield* publisher.idle
    yield* pds.start
    if (chance(50)) yield* Effect.forEach(teams, ({ relay }) => relay.deliverDelayed)
    return yield* openPosts
  })
  yield* Effect.repeat(round, { until: (open) => open === 0, times: 1000 })
  yield* Effect.forEach(teams, ({ relay }) => relay.deliverDelayed)
})

/** Asserts that each post exists once in its account, at the URL that the service has. Returns the URLs. */
const assertPublished = Effect.fn(function* ({ person, posts, stored, texts, workspace }: BusyTeam) {
  const records = new Map(
    (yield* posts).map(({ uri, value }) => [
      `https://bsky.app/profile/${person.did}/post/${uri.split("/").at(-1)}`,
      { text: value.text, facets: value.facets?.length ?? 0 }
    ])
  )
  assert.strictEqual(records.size, texts.length)
  const published = yield* stored
  const urls = published.map(({ post_targets }) => post_targets[0]?.platform_post_url ?? "none")
  for (const [index, { content, post_targets, status }] of published.entries()) {
    assert.deepStrictEqual(
      [status, ...post_targets.map((target) => [target.status, target.error])],
      ["published", ["published", null]],
      content
    )
    const { facets, text } = richText(content)
    assert.deepStrictEqual(records.get(urls[index] ?? ""), { text, facets: facets.length })
  }
  const { data } = yield* (yield* Repo).notifications.page(workspace, 0, 100)
  assert.deepStrictEqual(
    data.map(({ type }) => type),
    texts.map(() => "post.published")
  )
  return urls
})

layer(publishingWorld)("Publishing on a real PDS whose connections are cut at random", (it) => {
  it.effect("Sixty posts become sixty records, each published with its own URL", () =>
    Effect.gen(function* () {
      const indices = Array.from({ length: accounts }, (_, index) => index)
      const teams = yield* Effect.forEach(indices, busyTeam, { concurrency: "unbounded" })
      yield* playOut(teams)
      const urls = yield* Effect.forEach(teams, assertPublished)
      assert.strictEqual(new Set(urls.flat()).size, accounts * postsPerAccount)

      yield* TestClock.adjust("1 day")
      assert.strictEqual(yield* (yield* Publisher).tick, 0)

      const passed = (yield* Effect.forEach(teams, ({ relay }) => relay.passed)).flat()
      const cutsOf = (method: string) =>
        passed.flatMap((request) => (request.method === method && request.cut !== undefined ? [request.cut] : []))
      assert.sameMembers([...new Set(cutsOf(putRecord))], [...cuts])
      assert.isAtLeast(cutsOf(putRecord).length, 36)
      assert.isAtLeast(cutsOf(refreshSession).length, 3)
      assert.isAtLeast(cutsOf(resolveHandle).length, 3)
    })
  )
})
