import { assert, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { tools } from "../../src/mcp/tools.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { plan } from "../support/database/fixtures.ts"
import type { ClientResponse } from "../support/http/client.ts"
import { ServerUrl } from "../support/http/server.ts"
import { agentServerLayer, askAs } from "./agent.ts"
import { type Kind, kinds, makeKeys } from "./keyKinds.ts"

/** A draft of a person, as whoever has read it names it. */
interface Draft {
  readonly id: string
  readonly etag: string
}

/** What a tool is called with, and the kinds of keys that see it, by what they then get. */
interface Row {
  readonly args: (draft: Draft) => object
  readonly visible: Readonly<Record<string, ReadonlyArray<Kind>>>
}

/** Those that a request is refused with before it reaches a tool. */
const outsiders: ReadonlyArray<Kind> = ["expired", "revoked", "replaced", "session"]
const insiders = kinds.filter((kind) => !outsiders.includes(kind))
const drafting: ReadonlyArray<Kind> = ["requires approval", "of an agent", "rotated", "successor"]
const foreign: Kind = "of another workspace"

const text = { content: "Hello", platforms: ["bluesky"] }

const table: Readonly<Record<string, Row>> = {
  get_workspace: { args: () => ({}), visible: { ok: insiders } },
  list_posts: { args: () => ({}), visible: { ok: ["full", "posts:read", foreign, ...drafting] } },
  get_post: {
    args: ({ id }) => ({ id }),
    visible: { ok: ["full", "posts:read", ...drafting], not_found: [foreign] }
  },
  check_post: { args: () => text, visible: { ok: ["full", "posts:read", foreign, ...drafting] } },
  split_text: { args: () => text, visible: { ok: ["full", "posts:read", foreign, ...drafting] } },
  create_post: { args: () => text, visible: { ok: ["full", "posts:write", foreign, ...drafting] } },
  update_post: {
    args: (draft) => ({ ...draft, content: "Changed" }),
    visible: { ok: ["full", "posts:write"], not_own_draft: drafting, not_found: [foreign] }
  },
  delete_post: {
    args: (draft) => draft,
    visible: { ok: ["full", "posts:write", "posts:delete"], not_own_draft: drafting, not_found: [foreign] }
  },
  publish_post: { args: (draft) => draft, visible: { ok: ["full", "posts:publish"], not_found: [foreign] } },
  add_media: {
    args: () => ({ url: "https://images.example/a.png", alt: "A picture", wait: false }),
    visible: { ok: ["full", "media:write", foreign, ...drafting] }
  },
  list_notifications: { args: () => ({}), visible: { ok: ["full", "notifications:read", foreign, ...drafting] } },
  get_queue: { args: () => ({}), visible: { ok: ["full", "posts:read", foreign, ...drafting] } },
  check_upcoming: { args: () => ({}), visible: { ok: ["full", "posts:read", foreign, ...drafting] } }
}

/** The tools that change the draft they are called with. */
const changes = new Set(["update_post", "delete_post", "publish_post"])

const expected = (kind: Kind, { visible }: Row): string =>
  outsiders.includes(kind)
    ? "401 unauthorized"
    : (Object.entries(visible).find(([, seers]) => seers.includes(kind))?.[0] ?? "no such tool")

/** What a call came to, in short. */
const outcome = (name: string, { body, status }: ClientResponse): string => {
  if (status !== 200) return `${status} ${body.code}`
  if (body.error !== undefined) {
    assert.deepStrictEqual([body.error.code, body.error.message], [-32_602, `Tool '${name}' not found`])
    return "no such tool"
  }
  return body.result.isError === true ? JSON.parse(body.result.content[0].text).code : "ok"
}

layer(agentServerLayer())("tools by kinds of keys", (it) => {
  it.effect("Every tool has a row in the table of keys, and no row is without its tool", () =>
    Effect.sync(() =>
      assert.deepStrictEqual(
        Object.keys(table),
        tools.map(({ name }) => name)
      )
    )
  )

  it.effect("Each kind of key lists the tools that it can call, and no other", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { as } = yield* makeKeys
      for (const kind of insiders) {
        const { body } = yield* askAs(url, as(kind), "tools/list")
        assert.deepStrictEqual(
          body.result.tools.map(({ name }: { readonly name: string }) => name),
          Object.keys(table).filter((name) =>
            Object.values(table[name]?.visible ?? {})
              .flat()
              .includes(kind)
          ),
          kind
        )
      }
      for (const kind of outsiders) {
        const { body, status } = yield* askAs(url, as(kind), "tools/list")
        assert.deepStrictEqual([status, body.code], [401, "unauthorized"], kind)
      }
    })
  )

  it.effect.each(Object.entries(table))(
    "A call of %s comes to what the table says for each kind of key",
    ([name, row]) =>
      Effect.gen(function* () {
        const url = yield* ServerUrl
        const { posts } = yield* Repo
        const { as, workspaceId } = yield* makeKeys
        const outcomes: Array<readonly [Kind, string]> = []
        for (const kind of kinds) {
          const { id } = yield* posts.create(workspaceId, plan(null))
          const response = yield* askAs(url, as(kind), "tools/call", {
            name,
            arguments: row.args({ id, etag: "1-draft" })
          })
          outcomes.push([kind, outcome(name, response)])
          const isUntouched = Option.exists(
            yield* Effect.option(posts.get(workspaceId, id)),
            ({ revision, status }) => revision === 1 && status === "draft"
          )
          assert.strictEqual(isUntouched, !changes.has(name) || outcomes.at(-1)?.[1] !== "ok", kind)
        }
        assert.deepStrictEqual(
          outcomes,
          kinds.map((kind) => [kind, expected(kind, row)] as const)
        )
      })
  )

  it.effect("A key that requires approval changes its own drafts and those of the key that it replaced", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { as } = yield* makeKeys
      const call = (kind: Kind, name: string, args: object) =>
        askAs(url, as(kind), "tools/call", { name, arguments: args })
      const outcomes: Array<readonly [writer: Kind, caller: Kind, string]> = []
      for (const writer of ["rotated", "successor"] as const) {
        for (const caller of ["rotated", "successor", "requires approval"] as const) {
          const { body } = yield* call(writer, "create_post", { ...text, tags: [writer, caller] })
          const { etag, id } = body.result.structuredContent
          for (const [name, args] of [
            ["update_post", { id, etag, content: "Changed" }],
            ["delete_post", { id, etag: "2-draft" }]
          ] as const) {
            outcomes.push([writer, caller, outcome(name, yield* call(caller, name, args))])
          }
        }
      }
      const twice = (row: readonly [Kind, Kind, string]) => [row, row]
      assert.deepStrictEqual(
        outcomes,
        [
          twice(["rotated", "rotated", "ok"]),
          twice(["rotated", "successor", "ok"]),
          twice(["rotated", "requires approval", "not_own_draft"]),
          twice(["successor", "rotated", "not_own_draft"]),
          twice(["successor", "successor", "ok"]),
          twice(["successor", "requires approval", "not_own_draft"])
        ].flat()
      )
    })
  )

  it.effect("A key of another workspace finds none of this one's posts and files, not by a cursor either", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { posts } = yield* Repo
      const { as, workspaceId } = yield* makeKeys
      const { id } = yield* posts.create(workspaceId, plan(null))
      yield* posts.create(workspaceId, plan(null))
      const call = (kind: Kind, name: string, args: object) =>
        askAs(url, as(kind), "tools/call", { name, arguments: args })
      const data = (response: ClientResponse) => response.body.result.structuredContent
      const own = yield* call("full", "list_posts", { limit: 1 })
      const added = yield* call("full", "add_media", table["add_media"]?.args({ id, etag: "" }) ?? {})
      const { body: mine } = yield* call(foreign, "create_post", { ...text, content: "Theirs" })
      const listed = yield* call(foreign, "list_posts", { cursor: data(own).next_cursor })
      assert.notInclude(listed.text, id)
      assert.deepStrictEqual(data(yield* call(foreign, "list_posts", {})).posts.length, 1)
      const withFile = { media: [{ id: data(added).id }] }
      const refusals = {
        create: yield* call(foreign, "create_post", { ...text, ...withFile }),
        update: yield* call(foreign, "update_post", {
          id: mine.result.structuredContent.id,
          etag: mine.result.structuredContent.etag,
          ...withFile
        })
      }
      for (const [name, response] of Object.entries(refusals)) {
        assert.strictEqual(outcome(name, response), "invalid_request")
        assert.deepStrictEqual(JSON.parse(response.body.result.content[0].text).errors[0].path, ["media", 0, "id"])
      }
      const checked = yield* call(foreign, "check_post", { ...text, ...withFile })
      assert.isFalse(data(checked).valid)
    })
  )
})
