import { assert, layer } from "@effect/vitest"
import { Duration, Effect, Redacted } from "effect"
import { Repo } from "../../src/repo/Repo.ts"
import { ServerUrl } from "../support/http/server.ts"
import { makeKey, makeTeam } from "../support/http/team.ts"
import { agentServerLayer, callTool } from "./agent.ts"

/** A team, and calls with its key. */
const start = Effect.gen(function* () {
  const url = yield* ServerUrl
  const { key } = yield* makeTeam
  return (name: string, args: object = {}) => callTool(url, key, name, args)
})

layer(agentServerLayer())("repeated calls", (it) => {
  it.effect("A change that changes nothing is the same call when it is repeated", () =>
    Effect.gen(function* () {
      const call = yield* start
      const { data } = yield* call("create_post", { content: "Hello", platforms: ["bluesky"] })
      const change = { id: data.id, etag: data.etag, content: "Hello" }
      assert.deepInclude((yield* call("update_post", change)).data, { etag: "1-draft", replayed: false })
      assert.deepInclude((yield* call("update_post", change)).data, { etag: "1-draft", replayed: true })
    })
  )

  it.effect("A call whose members come in another order at any depth is the same call", () =>
    Effect.gen(function* () {
      const call = yield* start
      const one = {
        content: "Hello",
        platforms: ["bluesky", "twitter"],
        tags: ["b", "a"],
        platform_overrides: { twitter: "For X", bluesky: "For Bluesky" },
        platform_settings: {
          youtube: { title: "A title", more: { z: [{ b: 1, a: 2 }], y: null }, 10: "ten", 9: "nine" },
          twitter: { who_can_reply: "everyone", other: 1 }
        },
        thread: [{ content: "More", platform_overrides: { twitter: "More for X", bluesky: "More" } }]
      }
      const other = {
        thread: [{ platform_overrides: { bluesky: "More", twitter: "More for X" }, content: "More" }],
        platform_settings: {
          twitter: { other: 1, who_can_reply: "everyone" },
          youtube: { 9: "nine", 10: "ten", more: { y: null, z: [{ a: 2, b: 1 }] }, title: "A title" }
        },
        platform_overrides: { bluesky: "For Bluesky", twitter: "For X" },
        tags: ["b", "a"],
        platforms: ["bluesky", "twitter"],
        content: "Hello"
      }
      const created = yield* call("create_post", one)
      assert.isFalse(created.data.replayed)
      assert.deepStrictEqual((yield* call("create_post", other)).data, {
        ...created.data,
        replayed: true,
        message: `${created.data.message} This is the result of an earlier identical call; to make a second post, increase \`occurrence\`.`
      })
      const { etag, id } = created.data
      const changed = yield* call("update_post", { id, etag, platform_settings: one.platform_settings, tags: ["a"] })
      const again = yield* call("update_post", { tags: ["a"], platform_settings: other.platform_settings, etag, id })
      assert.deepStrictEqual([again.data.etag, again.data.replayed], [changed.data.etag, true])
    })
  )

  it.effect("A call repeated with the key before or after a rotation is the same call", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { workspaceId } = yield* makeTeam
      const { apiKeys } = yield* Repo
      const first = yield* makeKey(workspaceId)
      const second = yield* apiKeys.rotate(first.id, Duration.hours(1))
      const third = yield* apiKeys.rotate(second.stored.id, Duration.hours(1))
      const keys = [first.key, Redacted.value(second.key), Redacted.value(third.key)]
      for (const [content, order] of [
        ["Older first", keys],
        ["Newer first", keys.toReversed()]
      ] as const) {
        const results = yield* Effect.forEach(order, (key) =>
          callTool(url, key, "create_post", { content, platforms: ["bluesky"] })
        )
        assert.deepStrictEqual(
          results.map(({ data }) => data.replayed),
          [false, true, true]
        )
        assert.strictEqual(new Set(results.map(({ data }) => data.id)).size, 1)
      }
      const other = yield* makeKey(workspaceId)
      const own = yield* callTool(url, other.key, "create_post", { content: "Older first", platforms: ["bluesky"] })
      assert.isFalse(own.data.replayed)
    })
  )

  it.effect("A call whose lists come in another order is another call", () =>
    Effect.gen(function* () {
      const call = yield* start
      const post = { content: "Hello", platforms: ["bluesky", "twitter"], tags: ["a", "b"] }
      const { data } = yield* call("create_post", post)
      assert.notStrictEqual((yield* call("create_post", { ...post, tags: ["b", "a"] })).data.id, data.id)
    })
  )
})
