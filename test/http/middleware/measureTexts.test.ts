import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Record } from "effect"
import { rememberMeasures } from "../../../src/domain/posts/text/rememberMeasures.ts"
import { CurrentRules } from "../../../src/platforms/rules.ts"
import { makeWorkspace } from "../../support/database/fixtures.ts"
import { keyHeaders, sendJson } from "../../support/http/client.ts"
import { ServerUrl } from "../../support/http/server.ts"
import { databaseServerLayer, makeKey } from "../../support/http/team.ts"
import { rules } from "../../support/plans.ts"

const measured: Array<string> = []

const countingRules = Record.map(rules, (own, platform) =>
  rememberMeasures({
    ...own,
    measure: (text) => {
      if (text !== "") measured.push(`${platform} ${text.slice(0, 1)}`)
      return own.measure(text)
    }
  })
)

const server = databaseServerLayer().pipe(Layer.provide(Layer.succeed(CurrentRules, countingRules)))

layer(server, { excludeTestServices: true })("texts of large posts", (it) => {
  it.effect("Each is measured once for each platform, whether the body is valid or not", () =>
    Effect.gen(function* () {
      const url = `${yield* ServerUrl}/v1/posts`
      const headers = keyHeaders((yield* makeKey(yield* makeWorkspace())).key)
      const textOf = (name: string) => `${name} `.repeat(2_000)
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
})
