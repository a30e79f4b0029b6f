import { assert, layer } from "@effect/vitest"
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { TestClock } from "effect/testing"
import { live } from "../../../src/platforms/live.ts"
import { Sandbox } from "../../../src/sandbox/Sandbox.ts"
import { Publisher } from "../../../src/publishing/Publisher.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { type Cut, type CuttingRelay, cuts, cuttingRelay } from "../cuttingRelay.ts"
import { allPosts, plan } from "../../support/database/fixtures.ts"
import { seededRandom } from "../../support/generated/seededRandom.ts"
import { idleLater } from "../../publishing/sendBatchWorld.ts"
import { openPosts, publishing } from "../publishing.ts"
import { baseUrl } from "../world.ts"

const accounts = 4
const postsPerAccount = 25
/** Percentage of requests that are cut off. */
const cutRate = 40

/** The relay between the service and X. */
class Relay extends Context.Service<Relay, CuttingRelay>()("test/Relay") {
  static readonly layer = Layer.effect(
    Relay,
    Effect.flatMap(Sandbox, ({ apiUrls }) => cuttingRelay(apiUrls.twitter))
  )
}

const world = publishing(
  Effect.gen(function* () {
    const platforms = (yield* Sandbox).platforms(baseUrl)
    const twitter = live.twitter.connectStandIn((yield* Relay).url, platforms.twitter.webUrl)
    return { ...platforms, twitter }
  }),
  Relay.layer.pipe(Layer.provideMerge(Sandbox.layer()))
)

const decodeSend = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({ text: Schema.String })))

/** A workspace with posts that fall due a second apart. */
const busyTeam = Effect.fn(function* (name: string) {
  const { integrations, posts, workspaces } = yield* Repo
  const { id: workspace } = yield* workspaces.create(name)
  yield* integrations.connect(workspace, {
    platform: "twitter",
    ...(yield* (yield* Sandbox).connect("twitter", name))
  })
  const now = yield* DateTime.now
  for (let seconds = 0; seconds < postsPerAccount; seconds++) {
    const content = `Post ${seconds} of ${name}`
    yield* posts.create(workspace, { ...plan(DateTime.add(now, { seconds })), content })
  }
  return { stored: allPosts(workspace) }
})

layer(world)("Publishing on X over connections that are cut at random", (it) => {
  it.effect(
    "A hundred posts are sent once each, and end as published if they are, or else with the outcome unknown",
    () =>
      Effect.gen(function* () {
        const publisher = yield* Publisher
        const relay = yield* Relay
        const sandbox = yield* Sandbox
        const names = Array.from({ length: accounts }, (_, index) => `team${index}`)
        const teams = yield* Effect.forEach(names, busyTeam)
        const next = seededRandom(11)
        const sent: Array<{ readonly text: string; readonly cut: Cut | undefined }> = []
        yield* relay.rule((_, body) => {
          const cut = next() * 100 < cutRate ? cuts[Math.floor(next() * cuts.length)] : undefined
          const send = decodeSend(body)
          if (Option.isSome(send)) sent.push({ text: send.value.text, cut })
          return cut
        })
        const round = Effect.gen(function* () {
          yield* TestClock.adjust("30 seconds")
          yield* publisher.tick
          yield* idleLater
          if (next() < 0.5) yield* relay.deliverDelayed
          return yield* openPosts
        })
        yield* Effect.repeat(round, { until: (open) => open === 0, times: 1000 })
        const posts = (yield* Effect.forEach(teams, ({ stored }) => stored)).flat()
        yield* relay.deliverDelayed
        yield* TestClock.adjust("1 day")
        assert.strictEqual(yield* publisher.tick, 0)

        assert.sameMembers(
          sent.map(({ text }) => text),
          posts.map(({ content }) => content)
        )
        const timeline = new Map((yield* sandbox.posts).map((post) => [post.text, post]))
        assert.strictEqual((yield* sandbox.accepted).twitter, timeline.size)
        for (const { content, post_targets, status } of posts) {
          const [target] = post_targets
          const post = timeline.get(content)
          if (status === "published") {
            const address = `${baseUrl}/sandbox/twitter/${post?.username}/status/${post?.id}`
            assert.strictEqual(target?.platform_post_url, address)
          } else {
            assert.strictEqual(target?.error?.code, "outcome_unknown", content)
          }
        }

        const published = new Set(posts.flatMap(({ content, status }) => (status === "published" ? [content] : [])))
        const found = sent.filter(({ cut, text }) => cut !== undefined && published.has(text))
        assert.isAtLeast(found.length, 10)
        assert.sameMembers([...new Set(sent.flatMap(({ cut }) => cut ?? []))], [...cuts])
        const lost = sent.filter(({ cut }) => cut === "before the server" || cut === "within the request")
        assert.isAtLeast(lost.length, 5)
        assert.isFalse(lost.some(({ text }) => published.has(text)))
      })
  )
})
