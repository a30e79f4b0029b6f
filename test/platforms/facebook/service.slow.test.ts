import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { png } from "../../sandbox/sampleFiles.ts"
import { freePort, root, runProgramOf } from "../../support/process/program.ts"

const temporaryDirectory = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(path.join(tmpdir(), "facebook-"))),
  (directory) => Effect.promise(() => rm(directory, { recursive: true, force: true }))
)

/** A sandbox with Facebook enabled, and its demo's key. */
const startService = Effect.gen(function* () {
  const port = String(yield* Effect.promise(freePort))
  const env = {
    PORT: port,
    DATA_DIR: yield* temporaryDirectory,
    ENABLE_PLATFORMS: "facebook",
    RATE_LIMIT_PER_MINUTE: "6000",
    DEMO_EXAMPLES: "off"
  }
  const service = yield* Effect.acquireRelease(
    Effect.sync(() => runProgramOf(root, "src/main.ts", [], env)),
    ({ ended, kill }) =>
      Effect.promise(() => {
        kill("SIGKILL")
        return ended
      })
  )
  const [, key = ""] = yield* Effect.promise(() => service.printed(/API key {5}(\S+)/))
  const call = (method: string, route: string, body?: object) =>
    Effect.promise(async () => {
      const response = await fetch(`http://127.0.0.1:${port}${route}`, {
        method,
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      return JSON.parse(await response.text())
    })
  return { call, key, url: `http://127.0.0.1:${port}` }
})

const inASecond = () => ({ schedule_at: new Date(Date.now() + 1_000).toISOString() })

const textOf = (url: string) => Effect.promise(async () => (await fetch(url)).text())

describe("A service with Facebook Pages", () => {
  it.live(
    "It publishes texts and photos once, whatever is lost, refuses threads, and offers the Pages of a person",
    () =>
      Effect.gen(function* () {
        const { call, key, url } = yield* startService
        const create = (body: object) => call("POST", "/v1/posts", { platforms: ["facebook"], ...inASecond(), ...body })
        const targetOf = (id: string) =>
          Effect.map(call("GET", `/v1/posts/${id}`), ({ data }) => data.post_targets.at(-1))
        const ended = (id: string) =>
          Effect.repeat(targetOf(id), {
            until: ({ status }) => /^(?:published|failed)$/.test(status),
            schedule: Schedule.spaced("200 millis")
          })

        const platforms = (yield* call("GET", "/v1/platforms")).data
        const facebook = platforms.find((each: { readonly platform: string }) => each.platform === "facebook")
        assert.deepInclude(facebook, { state: "enabled", threads: false, text: { limit: 63_206, unit: "characters" } })

        const post = yield* create({ content: "We roast on Mondays" })
        const published = yield* ended(post.id)
        assert.strictEqual(published.status, "published")
        assert.match(published.platform_post_url, /\/sandbox\/facebook\/\d+_\d+$/)
        assert.include(yield* textOf(published.platform_post_url), "We roast on Mondays")

        const thread = [{ content: "Second" }]
        const refused = yield* create({ content: "First", thread })
        assert.strictEqual(refused.errors[0].code, "thread_refused")
        assert.include(refused.errors[0].message, "platform_overrides")

        const upload = Effect.promise(async () => {
          const body = new FormData()
          body.append("file", new Blob([Uint8Array.from(png)], { type: "image/png" }), "a.png")
          const headers = { authorization: `Bearer ${key}` }
          return JSON.parse(await (await fetch(`${url}/v1/media`, { method: "POST", headers, body })).text()).data
        })
        const media: Array<{ readonly id: string; readonly alt: string }> = []
        for (const alt of ["A pixel", "The same pixel"]) {
          const file = yield* upload
          yield* Effect.repeat(call("GET", `/v1/media/${file.id}`), {
            until: ({ data }) => data.status === "ready",
            schedule: Schedule.spaced("100 millis")
          })
          media.push({ id: file.id, alt })
        }
        const photos = yield* create({ content: "Two photos", media })
        const shown = yield* ended(photos.id)
        assert.strictEqual(shown.status, "published")
        const page = yield* textOf(shown.platform_post_url)
        assert.isBelow(page.indexOf("A pixel"), page.indexOf("The same pixel"))

        // The answer and the question after it are lost. The outcome is decided all the same, and there is one post.
        const order = (times: number, callKind: string, fault: object) =>
          call("POST", "/sandbox/faults", { platform: "facebook", call: callKind, times, fault })
        yield* order(1, "publish", { kind: "reset", when: "after_commit" })
        yield* order(1, "timeline", { kind: "status", status: 500 })
        const lost = yield* create({ content: "Lost and found" })
        assert.strictEqual((yield* ended(lost.id)).status, "published")
        yield* order(1, "publish", { kind: "reset", when: "before_commit" })
        const never = yield* create({ content: "Never arrived" })
        assert.strictEqual((yield* ended(never.id)).status, "published")
        const timelines = yield* textOf(`${url}/sandbox`)
        assert.lengthOf(timelines.split("Lost and found"), 2)
        assert.lengthOf(timelines.split("Never arrived"), 2)

        // Whoever opened the URL of a key chooses among the Pages.
        const { data: begun } = yield* call("POST", "/v1/integrations/facebook", {})
        const consent = yield* textOf(begun.authorize_url)
        const allow = /href="([^"]+code=[^"]+)"/.exec(consent)?.[1]?.replaceAll("&amp;", "&") ?? ""
        const submit = (route: string, body: Readonly<Record<string, string>>) =>
          Effect.promise(async () => {
            const headers = { "sec-fetch-site": "same-origin" }
            const response = await fetch(`${url}/oauth/facebook/${route}`, {
              method: "POST",
              headers,
              body: new URLSearchParams(body)
            })
            return response.text()
          })
        const { code = "", state = "" } = Object.fromEntries(new URL(allow).searchParams)
        const choice = yield* submit("confirmation", { code, state, decision: "connect" })
        const offered = Array.from(choice.matchAll(/<p class="note" id="account-\d+">([^<]+)</g), ([, name]) => name)
        assert.deepStrictEqual(offered, ["visitor", "visitor.shop", "visitor.group"])
        const token = /name="token" value="([^"]+)"/.exec(choice)?.[1] ?? ""
        // The demo's Page is connected already, so its owner decides once more.
        assert.include(yield* submit("choice", { token, choice: "1" }), "visitor.shop")
      }).pipe(Effect.scoped),
    300_000
  )
})
