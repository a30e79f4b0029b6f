import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { freePort, root, runProgramOf } from "../../support/process/program.ts"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { png } from "../../sandbox/sampleFiles.ts"

const temporaryDirectory = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(path.join(tmpdir(), "linkedin-"))),
  (directory) => Effect.promise(() => rm(directory, { recursive: true, force: true }))
)

/** A sandbox with LinkedIn enabled, and its demo's key. */
const startService = Effect.gen(function* () {
  const port = String(yield* Effect.promise(freePort))
  const env = {
    PORT: port,
    DATA_DIR: yield* temporaryDirectory,
    ENABLE_PLATFORMS: "linkedin",
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

describe("A service with LinkedIn", () => {
  it.live(
    "It publishes texts and images, refuses threads, and tells a person what it can't know",
    () =>
      Effect.gen(function* () {
        const { call, key, url } = yield* startService
        const create = (body: object) => call("POST", "/v1/posts", { platforms: ["linkedin"], ...inASecond(), ...body })
        const targetOf = (id: string) =>
          Effect.map(call("GET", `/v1/posts/${id}`), ({ data }) => data.post_targets.at(-1))
        const ended = (id: string) =>
          Effect.repeat(targetOf(id), {
            until: ({ error, status }) => /^(?:published|failed)$/.test(status) || error?.code === "outcome_unknown",
            schedule: Schedule.spaced("200 millis")
          })

        const platforms = (yield* call("GET", "/v1/platforms")).data
        const linkedin = platforms.find((each: { readonly platform: string }) => each.platform === "linkedin")
        assert.deepInclude(linkedin, { state: "enabled", threads: false, text: { limit: 3000, unit: "characters" } })

        const text = "We (the team) wrote a_b*c #go @[Acme](urn:li:organization:1)"
        const post = yield* create({ content: text })
        const published = yield* ended(post.id)
        assert.strictEqual(published.status, "published")
        assert.match(published.platform_post_url, /\/sandbox\/linkedin\/feed\/update\/urn:li:share:\d+$/)
        const page = yield* Effect.promise(async () => (await fetch(published.platform_post_url)).text())
        assert.include(page, "We (the team) wrote a_b*c")

        const thread = [{ content: "Second" }]
        const refused = yield* create({ content: "First", thread })
        assert.strictEqual(refused.errors[0].code, "thread_refused")
        const both = yield* create({
          content: "First",
          thread,
          platforms: ["twitter", "linkedin"],
          platform_overrides: { linkedin: "All of it" }
        })
        const alone = yield* ended(both.id)
        assert.strictEqual(alone.status, "published")
        const shown = yield* Effect.promise(async () => (await fetch(alone.platform_post_url)).text())
        assert.include(shown, "All of it")

        const { data: file } = yield* Effect.promise(async () => {
          const body = new FormData()
          body.append("file", new Blob([Uint8Array.from(png)], { type: "image/png" }), "a.png")
          const headers = { authorization: `Bearer ${key}` }
          return JSON.parse(await (await fetch(`${url}/v1/media`, { method: "POST", headers, body })).text())
        })
        yield* Effect.repeat(call("GET", `/v1/media/${file.id}`), {
          until: ({ data }) => data.status === "ready",
          schedule: Schedule.spaced("100 millis")
        })
        const picture = yield* create({ content: "", media: [{ id: file.id, alt: "A pixel" }] })
        assert.strictEqual((yield* ended(picture.id)).status, "published")

        yield* call("POST", "/sandbox/faults", { platform: "linkedin", fault: { kind: "reset", when: "after_commit" } })
        const lost = yield* create({ content: "Lost" })
        const unknown = yield* ended(lost.id)
        assert.strictEqual(unknown.error.code, "outcome_unknown")
        assert.include(unknown.error.message, "only a person can tell")
        const resolved = yield* call("POST", `/v1/posts/${lost.id}/targets/linkedin/resolve`, {
          outcome: "published",
          url: "https://www.linkedin.com/feed/update/urn:li:activity:7400000000000000001/"
        })
        assert.strictEqual(resolved.data.post_targets.at(-1).status, "published")
      }).pipe(Effect.scoped),
    180_000
  )
})
