import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { CreatorId, PostId } from "../../../src/domain/ids.ts"
import type { PostScan, ScannedBatch } from "../../../src/repo/posts/Posts.ts"
import { makeWorkspace } from "../../support/database/fixtures.ts"
import { call, errorPaths, keyHeaders, sendJson } from "../../support/http/client.ts"
import { aPostJson, postId } from "../../support/http/samplePosts.ts"
import { repoWithKey, ServerUrl, startServer } from "../../support/http/server.ts"
import { databaseServerLayer, makeKey } from "../../support/http/team.ts"

const idOf = (number: number) => PostId.make(`${postId.slice(0, -6)}${String(number).padStart(6, "0")}`)

/** A server with numbered posts. `matches` lists the posts with the text. Each scan takes `millis`. */
const startScans = Effect.fnUntraced(function* (options: {
  readonly posts: number
  readonly matches: ReadonlyArray<number>
  readonly millis?: number
}) {
  const scans: Array<PostScan> = []
  const url = yield* startServer({
    repo: repoWithKey({
      posts: {
        scan: (_workspace, query) =>
          Effect.gen(function* () {
            scans.push(query)
            yield* TestClock.adjust(options.millis ?? 0)
            const first = query.after === null ? 0 : Number(query.after.id.slice(-6)) + 1
            const end = Math.min(options.posts, first + query.maxTried)
            const numbers = options.matches.filter((number) => number >= first && number < end)
            const place = (number: number) => ({ id: idOf(number), scheduledAt: null, tried: number - first + 1 })
            const isFull = numbers.length > query.limit
            const isStopped = !isFull && end - first === query.maxTried
            return {
              posts: numbers
                .slice(0, query.limit)
                .map((number) => ({ ...aPostJson({ id: idOf(number) }), ...place(number) })),
              more: isFull || isStopped,
              ...(isStopped && { stoppedAt: place(end - 1) })
            } satisfies ScannedBatch
          })
      }
    })
  })
  return { scans, get: (query: string) => call(`${url}/v1/posts?${query}`) }
})

/** Follows a list to its end, and returns each page's post ids. */
const walk = Effect.fnUntraced(function* (get: (query: string) => ReturnType<typeof call>, query: string) {
  const pages = new Array<ReadonlyArray<string>>()
  let cursor = ""
  for (;;) {
    const { body, status } = yield* get(`${query}${cursor}`)
    assert.strictEqual(status, 200)
    pages.push(body.data.map(({ id }: { readonly id: string }) => id))
    if (body.next_cursor === null) return pages
    cursor = `&cursor=${body.next_cursor}`
  }
})

describe("pages of GET /v1/posts?text=", () => {
  it.effect("A page tries 20,000 posts, and its cursor goes on although nothing was found", () =>
    Effect.gen(function* () {
      const { get, scans } = yield* startScans({ posts: 45_000, matches: [44_000] })
      const first = yield* get("text=rare")
      assert.deepStrictEqual([first.status, first.body.data], [200, []])
      assert.isString(first.body.next_cursor)
      assert.strictEqual(
        scans.reduce((sum, { maxTried }) => sum + maxTried, 0),
        20_000
      )
      assert.deepStrictEqual(yield* walk(get, "text=rare"), [[], [], [idOf(44_000)]])
    })
  )

  it.effect("A page that is full before ends after its last post", () =>
    Effect.gen(function* () {
      const matches = [3, 4_500, 4_501, 9_000, 30_000]
      const { get } = yield* startScans({ posts: 31_000, matches })
      assert.deepStrictEqual(yield* walk(get, "text=some&limit=2"), [
        [idOf(3), idOf(4_500)],
        [idOf(4_501), idOf(9_000)],
        [],
        [idOf(30_000)]
      ])
    })
  )

  it.effect("A page of more posts than a batch tries 20,000 over all its batches", () =>
    Effect.gen(function* () {
      const matches = Array.from({ length: 600 }, (_, index) => index * 100)
      const { get, scans } = yield* startScans({ posts: 60_000, matches })
      const { body } = yield* get("text=some&limit=1000")
      assert.lengthOf(body.data, 200)
      assert.isAtMost(scans.length, 8)
      const pages = yield* walk(get, "text=some&limit=1000")
      assert.deepStrictEqual(pages.flat(), matches.map(idOf))
    })
  )

  it.effect("A page ends early where the database is slow", () =>
    Effect.gen(function* () {
      const { get, scans } = yield* startScans({ posts: 50_000, matches: [], millis: 600 })
      const { body } = yield* get("text=slow")
      assert.deepStrictEqual(body.data, [])
      assert.isString(body.next_cursor)
      assert.lengthOf(scans, 2)
    })
  )

  it.effect(
    "The text arrives without the spaces around it, beside the other filters, and so is it compared with the cursor's",
    () =>
      Effect.gen(function* () {
        const { get, scans } = yield* startScans({ posts: 30_000, matches: [] })
        const id = CreatorId.make("01A1FC17-DC2E-777D-AD63-0000000000C0")
        const { body } = yield* get(`text=%20%E6%97%A5%E6%9C%AC%0A&status=draft&created_by=${id}`)
        assert.deepInclude(scans[0]?.filters, { text: "日本", status: "draft", createdBy: id })
        const next = `cursor=${body.next_cursor}`
        const same = yield* get(`text=%E6%97%A5%E6%9C%AC&status=draft&created_by=${id.toLowerCase()}&${next}`)
        assert.strictEqual(same.status, 200)
        for (const other of ["text=%E6%97%A5%E6%9C%AD&status=draft", "text=%E6%97%A5%E6%9C%AC", "status=draft"]) {
          const { body: refused, status } = yield* get(`${other}&${next}`)
          assert.deepStrictEqual([status, errorPaths(refused)], [400, [["cursor"]]], other)
        }
      })
  )

  it.effect("The shortest and the longest text are taken, one emoji among them", () =>
    Effect.gen(function* () {
      const { get, scans } = yield* startScans({ posts: 0, matches: [] })
      const texts = ["ab", "🎉", "%%", "x".repeat(200)]
      for (const text of texts) assert.strictEqual((yield* get(`text=${encodeURIComponent(text)}`)).status, 200, text)
      assert.deepStrictEqual(
        scans.map(({ filters }) => filters.text),
        texts
      )
    })
  )
})

layer(databaseServerLayer())("a search on a real database", (it) => {
  it.effect("A text is found in the content, an override and a tag, together with each other filter", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const workspaceId = yield* makeWorkspace()
      const { id, key } = yield* makeKey(workspaceId)
      const other = yield* makeKey(workspaceId)
      const stranger = yield* makeKey(yield* makeWorkspace())
      const as = (used: { readonly key: string }, method: string, path: string, body?: unknown) =>
        sendJson(`${url}/v1/posts${path}`, method, keyHeaders(used.key), body)
      const own = { id, key }
      const group_id = idOf(7)
      const create = (used: { readonly key: string }, body: object) =>
        Effect.map(as(used, "POST", "", { platforms: ["twitter"], ...body }), ({ body: made }) => String(made.id))
      const inContent = yield* create(own, { content: "Our Release is out", group_id })
      const inOverride = yield* create(own, { content: "Other", platform_overrides: { bluesky: "RELEASE!" } })
      const inTag = yield* create(other, { content: "Other", tags: ["x", "release"], platforms: ["bluesky"] })
      yield* create(own, { content: "re-lease", tags: ["re", "lease"] })
      yield* create(stranger, { content: "release" })
      const ids = Effect.fnUntraced(function* (query: string) {
        const { body, status } = yield* as(own, "GET", `?text=release${query}`)
        assert.strictEqual(status, 200, query)
        assert.isNull(body.next_cursor)
        return body.data.map((post: { readonly id: string }) => post.id)
      })
      assert.deepStrictEqual(yield* ids(""), [inTag, inOverride, inContent])
      assert.deepStrictEqual(yield* ids("&order=asc"), [inContent, inOverride, inTag])
      assert.deepStrictEqual(yield* ids("&platform=bluesky"), [inTag])
      assert.deepStrictEqual(yield* ids("&platform=twitter"), [inOverride, inContent])
      assert.deepStrictEqual(yield* ids("&tag=x"), [inTag])
      assert.deepStrictEqual(yield* ids(`&group_id=${group_id}`), [inContent])
      assert.deepStrictEqual(yield* ids(`&created_by=${other.id}`), [inTag])
      assert.deepStrictEqual(yield* ids(`&created_by=${id.toUpperCase()}`), [inOverride, inContent])
      assert.deepStrictEqual(yield* ids(`&created_by=${stranger.id}`), [])
      assert.deepStrictEqual(yield* ids("&status=scheduled"), [])
      assert.deepStrictEqual(yield* ids("&status=draft&time=none"), [inTag, inOverride, inContent])
      assert.deepStrictEqual(yield* ids("&sort=scheduled_at"), [])
      const byOther = yield* as(own, "GET", `?created_by=${other.id}`)
      assert.deepStrictEqual(
        byOther.body.data.map((post: { readonly id: string }) => post.id),
        [inTag]
      )
    })
  )

  it.effect("A list goes on after a post that was deleted meanwhile", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { key } = yield* makeKey(yield* makeWorkspace())
      const send = (method: string, path: string, body?: unknown) =>
        sendJson(`${url}/v1/posts${path}`, method, keyHeaders(key), body)
      const made = new Array<string>()
      for (const content of ["find 1", "find 2", "other", "find 3"]) {
        made.unshift((yield* send("POST", "", { content, platforms: ["twitter"] })).body.id)
      }
      const first = yield* send("GET", "?text=find&limit=2")
      assert.deepStrictEqual(
        first.body.data.map((post: { readonly id: string }) => post.id),
        [made[0], made[2]]
      )
      yield* send("DELETE", `/${made[2]}`)
      const second = yield* send("GET", `?text=find&limit=2&cursor=${first.body.next_cursor}`)
      assert.deepStrictEqual(
        second.body.data.map((post: { readonly id: string }) => post.id),
        [made[3]]
      )
      assert.isNull(second.body.next_cursor)
    })
  )
})
