import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { seededRandom } from "../../support/generated/seededRandom.ts"
import { makeWorkspace } from "../../support/database/fixtures.ts"
import { keyHeaders, sendJson } from "../../support/http/client.ts"
import { ServerUrl } from "../../support/http/server.ts"
import { databaseServerLayer, makeKey } from "../../support/http/team.ts"

const draft = (content: string) => ({ content, platforms: ["twitter"] })

const makeCaller = Effect.fnUntraced(function* () {
  const url = yield* ServerUrl
  const workspaceId = yield* makeWorkspace()
  const headers = keyHeaders((yield* makeKey(workspaceId)).key)
  return {
    create: (content: string) => sendJson(`${url}/v1/posts`, "POST", headers, draft(content)),
    search: (text: string) => sendJson(`${url}/v1/posts?text=${encodeURIComponent(text)}`, "GET", headers)
  }
})

/** 58 kB that hardly compress. */
const longText = (seed: number) => {
  const random = seededRandom(seed)
  return Array.from({ length: 5_000 }, () => random().toString(36).slice(2, 12)).join(" ")
}

layer(databaseServerLayer({ rateLimitPerMinute: 10_000 }), { excludeTestServices: true })(
  "searches of long texts",
  (it) => {
    it.effect.each([
      { name: "one word", text: "needle" },
      { name: "eight words, of which only the last is rare", text: "a b c d e f g needle" }
    ])("Another workspace's searches and posts do not wait for those of a workspace that floods: $name", ({ text }) =>
      Effect.gen(function* () {
        const [flooding, other] = [yield* makeCaller(), yield* makeCaller()]
        yield* Effect.forEach(Array.from({ length: 200 }).keys(), (n) => flooding.create(longText(n)), {
          concurrency: 10
        })
        yield* other.create("a needle")
        let ended = 0
        const flood = yield* Effect.forkChild(
          Effect.forEach(
            Array.from({ length: 20 }).keys(),
            () => Effect.tap(flooding.search(text), () => Effect.sync(() => ended++)),
            { concurrency: "unbounded" }
          )
        )
        for (let round = 0; round < 3; round++) {
          const found = yield* other.search("needle")
          assert.lengthOf(found.body.data, 1)
          assert.strictEqual((yield* other.create("a post")).status, 201)
        }
        assert.isBelow(ended, 20)
        const searches = yield* Fiber.join(flood)
        assert.isTrue(searches.every(({ status }) => status === 200))
      })
    )
  }
)
