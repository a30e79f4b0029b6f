import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Result } from "effect"
import { rename } from "node:fs/promises"
import path from "node:path"
import { type Example, examples, platformsFor } from "../../src/demo/examples.ts"
import { pictures } from "../../src/demo/pictures.ts"
import { timeOf, writtenAt } from "../../src/demo/times.ts"
import { MediaId } from "../../src/domain/ids.ts"
import type { MediaFile } from "../../src/domain/media/media.ts"
import { LivePlatform } from "../../src/domain/platform.ts"
import { imageFacts } from "../support/database/mediaFixtures.ts"
import { send } from "../support/http/client.ts"
import { makeDemo } from "./demo.ts"
import { planCreate } from "../support/plans.ts"

// Starts early: most tests start a service that makes all examples.

interface Listed {
  readonly id: string
  readonly status: string
  readonly created_at: string
  readonly tags: ReadonlyArray<string>
  readonly media: ReadonlyArray<{ readonly id: string; readonly type: string | null; readonly alt: string }>
  readonly approval: { readonly status: string } | null
  readonly post_targets: ReadonlyArray<{
    readonly status: string
    readonly platform_post_url: string | null
    readonly published_at: string | null
    readonly error: { readonly code: string } | null
  }>
}

const names = Object.keys(pictures)

const fileOf = (name: string) => MediaId.make(`01981ccb-6c31-7d2c-9f47-00000000000${names.indexOf(name)}`)

const rendition = { hash: "0".repeat(64), contentType: "image/jpeg", size: 100, width: 1500, height: 1000 }

const library = names.map((name): MediaFile => ({
  id: fileOf(name),
  status: "ready",
  size: 100,
  facts: { ...imageFacts, width: 1500, height: 1000 },
  renditions: Object.fromEntries(LivePlatform.literals.map((platform) => [platform, rendition])),
  alt: ""
}))

/** Plans an example where every platform with an adapter is enabled. */
const planExample = (example: Example, due: DateTime.Utc | null, written: DateTime.Utc) => {
  const { content, overrides = {}, pictures: named = [], settings = {}, thread = [] } = example
  const post = {
    content,
    platforms: platformsFor(example, LivePlatform.literals),
    platform_overrides: overrides,
    platform_settings: settings,
    media: named.map((name) => ({ id: fileOf(name) })),
    thread: thread.map((text) => ({ content: text })),
    ...(due === null ? {} : { schedule_at: due })
  }
  return planCreate(post, written, library)
}

const kinds = (values: ReadonlyArray<string>) =>
  [...new Set(values)].toSorted((left, right) => left.localeCompare(right))

describe("The examples of the demo", () => {
  it.each(["2026-02-28T23:59:00Z", "2028-02-29T00:00:00Z", "2026-03-29T01:30:00Z", "2026-12-31T12:00:00Z"])(
    "Each can be scheduled when it was written, and was written in the past, if the first start is at %s",
    (start) => {
      const now = DateTime.makeUnsafe(start)
      for (const [number, example] of examples.entries()) {
        const due = example.at === null ? null : timeOf(example.at, now)
        const written = writtenAt(due, now, number)
        assert.isTrue(DateTime.isLessThan(written, DateTime.subtract(now, { hours: 2 })), example.content)
        assert.isTrue(Result.isSuccess(planExample(example, due, written)), example.content)
      }
    }
  )

  it("Each can be scheduled if every platform with an adapter is enabled", () => {
    const now = DateTime.makeUnsafe("2026-12-31T12:00:00Z")
    for (const example of examples) {
      const planned = planExample(example, DateTime.add(now, { days: 1 }), now)
      assert.isTrue(Result.isSuccess(planned), example.content)
    }
  })

  it.live("The first start shows every state, one failure of each kind, and what is published on both timelines", () =>
    Effect.gen(function* () {
      const { start } = yield* makeDemo
      const { call, examples: counted, timelines, url } = yield* start()
      const { data }: { readonly data: ReadonlyArray<Listed> } = (yield* call("GET", "/posts?limit=200")).body
      assert.deepStrictEqual(kinds(data.map(({ status }) => status)), [
        "draft",
        "failed",
        "published",
        "publishing",
        "scheduled"
      ])
      const targets = data.flatMap((post) => post.post_targets)
      assert.deepStrictEqual(kinds(targets.flatMap(({ error }) => error?.code ?? [])), [
        "gave_up",
        "missed",
        "needs_reconnect",
        "outcome_unknown",
        "rate_limited",
        "rejected"
      ])
      assert.lengthOf(
        data.filter(({ approval, status }) => status === "draft" && approval?.status === "requested"),
        2
      )
      assert.deepStrictEqual(kinds(data.flatMap(({ approval }) => approval?.status ?? [])), [
        "approved",
        "rejected",
        "requested"
      ])
      assert.isTrue(data.every(({ tags }) => tags.includes("example")))
      assert.isTrue(data.flatMap(({ media }) => media).every(({ alt, type }) => type === "image" && alt !== ""))
      const times = data.map(({ created_at }) => created_at)
      assert.deepStrictEqual(times, times.toSorted().toReversed())
      assert.deepStrictEqual((yield* counted("GET")).body.data.posts, data.length)

      const urls = targets.flatMap(({ platform_post_url, status }) =>
        status === "published" && platform_post_url !== null ? [platform_post_url] : []
      )
      const page = yield* timelines
      assert.lengthOf(page.match(/class="post"/g) ?? [], urls.length)
      assert.lengthOf(kinds(urls), urls.length)
      for (const one of urls.slice(0, 3)) assert.strictEqual((yield* send(one)).status, 200)
      const [picture = ""] = /\/sandbox\/media\/[\w-]+/.exec(page) ?? []
      assert.strictEqual((yield* send(`${url}${picture}`)).headers.get("content-type"), "image/webp")
    })
  )

  it.live("A person of the demo has read what happened before yesterday, and has news since", () =>
    Effect.gen(function* () {
      const { start } = yield* makeDemo
      const { url } = yield* start()
      const opened = yield* send(`${url}/sandbox/session`, { method: "POST", headers: { origin: url } })
      const headers = { cookie: opened.headers.get("set-cookie") ?? "" }
      const { data }: { readonly data: ReadonlyArray<{ readonly read: boolean; readonly created_at: string }> } =
        (yield* send(`${url}/v1/notifications?limit=100`, { headers })).body
      const yesterday = DateTime.subtract(yield* DateTime.now, { days: 1, minutes: 2 })
      const isOld = ({ created_at }: { readonly created_at: string }) =>
        DateTime.isLessThan(DateTime.makeUnsafe(created_at), yesterday)
      assert.isAbove(data.filter(isOld).length, 10)
      assert.isTrue(data.filter(isOld).every(({ read }) => read))
      assert.isNotEmpty(data.filter(({ read }) => !read))
    })
  )

  it.live(
    "Pictures of the examples stay on the timelines after a restart, which makes no second set and prints no key",
    () =>
      Effect.gen(function* () {
        const { start } = yield* makeDemo
        const before = yield* Effect.scoped(Effect.flatMap(start(), ({ examples: counted }) => counted("GET")))
        const { examples: counted, key, timelines, url } = yield* start()
        assert.strictEqual(key, "")
        assert.deepStrictEqual((yield* counted("GET")).body, before.body)
        for (const picture of kinds((yield* timelines).match(/\/sandbox\/media\/[\w-]+/g) ?? [])) {
          assert.strictEqual((yield* send(`${url}${picture}`)).status, 200)
        }
      })
  )

  it.live("A start with DEMO_EXAMPLES=off makes none, and later starts make none either", () =>
    Effect.gen(function* () {
      const { start } = yield* makeDemo
      const empty = yield* Effect.scoped(
        Effect.flatMap(start({ DEMO_EXAMPLES: "off" }), ({ call }) => call("GET", "/posts"))
      )
      assert.deepStrictEqual(empty.body.data, [])
      const { examples: counted } = yield* start()
      assert.strictEqual((yield* counted("GET")).body.data.posts, 0)
    })
  )

  it.live(
    "Where the examples can't be written, the service starts without them, with a key and without their pictures",
    () =>
      Effect.gen(function* () {
        const { sql, start } = yield* makeDemo
        yield* sql(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'no posts'; END $$`)
        yield* sql("CREATE TRIGGER refusing BEFORE INSERT ON posts FOR EACH ROW EXECUTE FUNCTION refuse()")
        const { call, key } = yield* start()
        assert.isNotEmpty(key)
        assert.deepStrictEqual((yield* call("GET", "/posts")).body.data, [])
        assert.deepStrictEqual((yield* call("GET", "/media")).body.data, [])
      })
  )

  it.live("A workspace that the demo did not make gets no examples", () =>
    Effect.gen(function* () {
      const { command, sql, start } = yield* makeDemo
      yield* command("workspace", "create", "Demo")
      const { examples: counted } = yield* start()
      assert.deepStrictEqual((yield* counted("GET")).body.data, { workspace_id: null, posts: 0 })
      assert.deepStrictEqual(yield* sql("SELECT id FROM posts"), [])
    })
  )

  it.live(
    "A sandbox that is started on another database leaves its workspaces alone, and has its examples again later",
    () =>
      Effect.gen(function* () {
        const former = yield* makeDemo
        const storeId = path.join(former.env.DATA_DIR, "media/store-id")
        yield* Effect.scoped(former.start())
        // What the service asks for where its media store belongs to another database.
        yield* Effect.promise(() => rename(storeId, `${storeId}.former`))
        const { command, env, sql } = yield* makeDemo
        yield* command("workspace", "create", "A team")
        const elsewhere = yield* Effect.scoped(
          Effect.flatMap(former.start({ DATABASE_URL: env.DATABASE_URL }), ({ examples: counted }) => counted("GET"))
        )
        assert.strictEqual(elsewhere.body.data.posts, 0)
        assert.deepStrictEqual(yield* sql("SELECT id FROM posts UNION ALL SELECT id FROM api_keys"), [])
        yield* Effect.promise(() => rename(`${storeId}.former`, storeId))
        const { examples: counted, timelines } = yield* former.start()
        assert.strictEqual((yield* counted("GET")).body.data.posts, examples.length)
        assert.include(yield* timelines, 'class="post"')
      })
  )

  it.live("A sandbox that others may reach through a proxy gets no examples", () =>
    Effect.gen(function* () {
      const { sql, start } = yield* makeDemo
      yield* start({ TRUST_PROXY: "on", BASE_URL: "https://posts.example.com" })
      assert.deepStrictEqual(yield* sql("SELECT id FROM posts"), [])
    })
  )

  it.live("A start after one that was interrupted before it printed the key makes the examples and a key", () =>
    Effect.gen(function* () {
      const { sql, start } = yield* makeDemo
      yield* Effect.scoped(start())
      // The state once the pictures are there, and before the transaction with all else is committed.
      for (const table of ["posts", "api_keys", "events", "notifications"]) yield* sql(`DELETE FROM ${table}`)
      const { call, key } = yield* start()
      assert.isNotEmpty(key)
      assert.lengthOf((yield* call("GET", "/posts?limit=200")).body.data, examples.length)
      assert.lengthOf((yield* call("GET", "/media")).body.data, 8)
    })
  )
})
