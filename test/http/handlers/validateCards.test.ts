import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Queue } from "effect"
import { TestClock } from "effect/testing"
import { LinkCards, linkCardsLayer, type LookUpCard } from "../../../src/cards/LinkCards.ts"
import { MediaLibrary } from "../../../src/media/MediaLibrary.ts"
import { Outbound } from "../../../src/outbound/Outbound.ts"
import { innerServer } from "../../outbound/innerServer.ts"
import { call, errorPaths } from "../../support/http/client.ts"
import { anIntegration } from "../../support/http/samplePosts.ts"
import { repoWithKey, startServer } from "../../support/http/server.ts"

const integrations = {
  list: () => Effect.succeed((["twitter", "bluesky"] as const).map((platform) => ({ ...anIntegration, platform })))
}

const url = "https://example.com/release"
const card = { url, title: "A title", description: "About it", thumb: null }

/** Validates a body on a server whose links have the cards that `lookUp` finds, and returns the response. */
const validateWith = Effect.fn("validateWith")(function* (lookUp: LookUpCard, body: unknown) {
  const server = yield* startServer({ repo: repoWithKey({ integrations }) }).pipe(
    Effect.provideService(LinkCards, lookUp)
  )
  return yield* call(`${server}/v1/posts/validate`, "POST", body)
})

const post = { content: `Out now: ${url} and https://example.com/other`, platforms: ["twitter", "bluesky"] }

describe("POST /v1/posts/validate with cards", () => {
  it.effect("The card of the first link is in the response, and nothing is looked up unless it is asked for", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const lookUp: LookUpCard = (_, link) =>
        Effect.sync(() => {
          asked.push(link)
          return { ...card, url: link }
        })
      for (const cards of [undefined, false, null]) {
        const { body } = yield* validateWith(lookUp, { ...post, cards })
        assert.hasAllKeys(body.data, ["valid", "errors", "targets", "cost_estimate"])
      }
      assert.deepStrictEqual(asked, [])
      const { body } = yield* validateWith(lookUp, { ...post, cards: true })
      assert.deepStrictEqual([body.data.valid, body.data.card], [true, card])
      assert.deepStrictEqual(asked, [url])
    })
  )

  it.effect("The card is the one of the text on Bluesky, also where something else is wrong with the post", () =>
    Effect.gen(function* () {
      const lookUp: LookUpCard = (_, link) => Effect.succeed({ ...card, url: link })
      const { body } = yield* validateWith(lookUp, {
        ...post,
        cards: true,
        tags: 1,
        platform_overrides: { bluesky: "See https://example.com/bluesky" }
      })
      assert.deepStrictEqual(errorPaths(body.data), [["tags"]])
      assert.strictEqual(body.data.card.url, "https://example.com/bluesky")
    })
  )

  it.effect.each<readonly [string, object]>([
    ["without a link", { content: "Hello" }],
    ["that is not for Bluesky", { platforms: ["twitter"] }],
    ["whose text can't be read", { content: 1 }]
  ])("A post %s has no card, and nothing is looked up", ([, change]) =>
    Effect.gen(function* () {
      const lookUp: LookUpCard = () => Effect.die("A card was looked up")
      const { body, status } = yield* validateWith(lookUp, { ...post, ...change, cards: true })
      assert.deepStrictEqual([status, body.data.card], [200, null])
    })
  )

  it.effect("Whether cards are wanted is true, false or null, and anything else is an error of its member", () =>
    Effect.gen(function* () {
      const lookUp: LookUpCard = () => Effect.die("A card was looked up")
      const { body } = yield* validateWith(lookUp, { ...post, cards: "yes" })
      assert.deepStrictEqual(errorPaths(body.data), [["cards"]])
      assert.notProperty(body.data, "card")
    })
  )

  it.effect("A key that only reads may validate, and may not have a page asked for", () =>
    Effect.gen(function* () {
      const server = yield* startServer({ repo: repoWithKey({ integrations }, { scopes: ["posts:read"] }) })
      const send = (body: unknown) => call(`${server}/v1/posts/validate`, "POST", body)
      assert.strictEqual((yield* send(post)).status, 200)
      const refused = yield* send({ ...post, cards: true })
      assert.deepStrictEqual([refused.status, refused.body.code], [403, "insufficient_scope"])
      assert.include(refused.body.detail, "posts:write")
    })
  )

  it.effect("A card that is not found within ten seconds is none", () =>
    Effect.gen(function* () {
      const asked = yield* Queue.unbounded<string>()
      const lookUp: LookUpCard = (_, link) => Effect.andThen(Queue.offer(asked, link), Effect.never)
      const waiting = yield* Effect.forkChild(validateWith(lookUp, { ...post, cards: true }))
      yield* Queue.take(asked)
      yield* TestClock.adjust("10 seconds")
      const { body, status } = yield* Fiber.join(waiting)
      assert.deepStrictEqual([status, body.data.card], [200, null])
    })
  )

  it.effect("Two cards of a workspace are looked up at once, and the third waits for its turn", () =>
    Effect.gen(function* () {
      const asked = yield* Queue.unbounded<string>()
      const found = yield* Deferred.make<void>()
      const lookUp: LookUpCard = (_, link) =>
        Effect.as(Effect.andThen(Queue.offer(asked, link), Deferred.await(found)), card)
      const server = yield* startServer({ repo: repoWithKey({ integrations }) }).pipe(
        Effect.provideService(LinkCards, lookUp)
      )
      const validate = call(`${server}/v1/posts/validate`, "POST", { ...post, cards: true })
      const waiting = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 3 }, () => validate),
          { concurrency: "unbounded" }
        )
      )
      yield* Queue.takeN(asked, 2)
      // Another request, which gives the third lookup time to begin.
      yield* call(`${server}/v1/posts/validate`, "POST", post)
      assert.strictEqual(yield* Queue.size(asked), 0)
      yield* Deferred.succeed(found, undefined)
      const responses = yield* Fiber.join(waiting)
      assert.isTrue(responses.every(({ body }) => body.data.card.title === "A title"))
    })
  )

  it.live("Whatever a page does, the response is no error", () =>
    Effect.gen(function* () {
      const { port } = yield* innerServer((request, response) => {
        if (request.url === "/broken") return void response.destroy()
        if (request.url === "/loop") response.setHeader("location", "/loop")
        response.writeHead(request.url === "/loop" ? 302 : 500, { "content-type": "text/html" })
        response.end("<title>\u0000</title>")
      })
      const layer = linkCardsLayer.pipe(
        Layer.provide([Outbound.layer({ loopback: true }), Layer.mock(MediaLibrary, { quota: 0 })])
      )
      const server = yield* startServer({ repo: repoWithKey({ integrations }) }).pipe(Effect.provide(layer))
      const hosts = [`http://127.0.0.1:${port}`, "https://10.0.0.1", "https://nowhere.invalid"]
      for (const [host, path] of [...hosts.map((host) => [host, "/broken"]), [hosts[0], "/loop"], [hosts[0], "/500"]]) {
        const { body, status } = yield* call(`${server}/v1/posts/validate`, "POST", {
          content: `See ${host}${path}`,
          platforms: ["bluesky"],
          cards: true
        })
        assert.deepStrictEqual([status, body.data.card], [200, null], `${host}${path}`)
      }
    })
  )
})
