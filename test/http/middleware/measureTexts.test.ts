import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Fiber, Layer, Record } from "effect"
import { rememberMeasures } from "../../../src/domain/posts/text/rememberMeasures.ts"
import { CurrentRules } from "../../../src/platforms/rules.ts"
import { makeWorkspace } from "../../support/database/fixtures.ts"
import { keyHeaders, sendJson } from "../../support/http/client.ts"
import { ServerUrl } from "../../support/http/server.ts"
import { databaseServerLayer, makeKey } from "../../support/http/team.ts"
import { rules } from "../../support/plans.ts"

const measured: Array<string> = []
/** The moments of the measures: it grows as often as other work has its turn. */
let moment = 0
const moments: Array<number> = []

let isSlow = false
/** Longer than a step may take. */
const busyMillis = 6

const measureSlowly = (name: string) => {
  measured.push(name)
  if (!isSlow) return
  moments.push(moment)
  const end = performance.now() + busyMillis
  while (performance.now() < end);
}

const countingRules = Record.map(rules, (own, platform) =>
  rememberMeasures({
    ...own,
    measure: (text) => {
      if (text !== "") measureSlowly(`${platform} ${text.slice(0, 1)}`)
      return own.measure(text)
    }
  })
)

const textOf = (name: string) => `${name} `.repeat(2_000)

/** Fills the memory of each platform with other texts. */
const forgetAll = Effect.sync(() => {
  for (const own of Object.values(countingRules)) for (let n = 0; n < 200; n++) own.measure(`${n} ${textOf("x")}`)
})

const otherWork = Effect.forever(
  Effect.andThen(
    Effect.sync(() => moment++),
    Effect.yieldNow
  )
)

const server = databaseServerLayer().pipe(Layer.provide(Layer.succeed(CurrentRules, countingRules)))

layer(server, { excludeTestServices: true })("texts of large posts", (it) => {
  it.effect("Each is measured once for each platform, whether the body is valid or not", () =>
    Effect.gen(function* () {
      const url = `${yield* ServerUrl}/v1/posts`
      const headers = keyHeaders((yield* makeKey(yield* makeWorkspace())).key)
      const post = (...[first = "", ...others]: ReadonlyArray<string>) => ({
        content: textOf(first),
        platforms: ["twitter", "bluesky"],
        schedule_at: "2026-01-01T00:00:00Z",
        thread: others.map((name) => ({ content: textOf(name) }))
      })
      const all = (...names: ReadonlyArray<string>) =>
        ["twitter", "bluesky"].flatMap((platform) => names.map((name) => `${platform} ${name}`))

      yield* sendJson(`${url}/validate`, "POST", headers, post("a", "b", "c"))
      assert.sameMembers(measured.splice(0), all("a", "b", "c"))
      assert.strictEqual((yield* sendJson(url, "POST", headers, { ...post("d", "e"), unknown: 1 })).status, 400)
      assert.sameMembers(measured.splice(0), all("d", "e"))
      assert.strictEqual((yield* sendJson(url, "POST", headers, post("a", "d"))).status, 400)
      assert.deepStrictEqual(measured, [])
    })
  )
  it.effect.each([
    { does: "a change that only schedules it", method: "PATCH", path: "", order: { status: "scheduled" } },
    { does: "publishing it", method: "POST", path: "/publish", order: undefined },
    { does: "approving it", method: "POST", path: "/approve", order: { revision: 1 } }
  ] as const)("A stored post is measured in steps before $does", ({ method, order, path }) =>
    Effect.gen(function* () {
      const url = `${yield* ServerUrl}/v1/posts`
      const headers = keyHeaders((yield* makeKey(yield* makeWorkspace())).key)
      const draft = {
        content: textOf("a"),
        platforms: ["twitter", "bluesky"],
        status: "draft",
        schedule_at: DateTime.formatIso(DateTime.add(yield* DateTime.now, { hours: 1 })),
        thread: ["b", "c"].map((name) => ({ content: textOf(name) }))
      }
      const created = yield* sendJson(url, "POST", headers, draft)
      assert.strictEqual(created.status, 201, JSON.stringify(created.body))
      const { id }: { readonly id: string } = created.body
      yield* forgetAll
      measured.length = 0
      isSlow = true
      moments.length = 0
      const working = yield* Effect.forkChild(otherWork)
      assert.strictEqual((yield* sendJson(`${url}/${id}${path}`, method, headers, order)).body.code, "content_too_long")
      isSlow = false
      yield* Fiber.interrupt(working)
      assert.lengthOf(measured, 6)
      assert.isAbove(new Set(moments).size, 1)
    })
  )
})
