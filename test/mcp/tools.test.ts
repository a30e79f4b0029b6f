import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Ajv2020 } from "ajv/dist/2020.js"
import { ServerUrl } from "../support/http/server.ts"
import { keyHeaders, sendJson, sessionHeaders } from "../support/http/client.ts"
import { databaseServerLayer, makeKey, makeTeam, notify } from "../support/http/team.ts"
import { agents, ask, callTool, type ToolResult } from "./agent.ts"

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })

/** Calls tools, and checks each result against the schema that the tool is listed with. */
const makeAgent = Effect.fnUntraced(function* (url: string, key: string) {
  const { body } = yield* ask(url, key, "tools/list")
  const validators = new Map(
    body.result.tools.map(({ name, outputSchema }: { readonly name: string; readonly outputSchema: object }) => [
      name,
      ajv.compile(outputSchema)
    ])
  )
  return Effect.fnUntraced(function* (name: string, args: unknown = {}) {
    const result = yield* callTool(url, key, name, args)
    const validate = validators.get(name)
    if (!result.isError && typeof validate === "function") {
      assert.deepStrictEqual(result.structured, result.data)
      assert.ok(validate(result.structured), `${name}: ${JSON.stringify(Reflect.get(validate, "errors"))}`)
    }
    return result
  })
})

/** What a tool fails with. */
const failure = ({ data, isError }: { readonly isError: boolean; readonly data: { readonly code: string } }) =>
  isError ? data.code : "none"

const paths = (result: { readonly data: { readonly errors: ReadonlyArray<{ readonly path: unknown }> } }) =>
  result.data.errors.map(({ path }) => path)

const unknownPost = "019b0000-0000-7000-8000-000000000000"

layer(databaseServerLayer({ others: agents, rateLimitPerMinute: 100_000 }))("tools of agents", (it) => {
  it.effect("get_workspace tells what the key may do, and what it lacks a scope for is null", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { key, workspaceId } = yield* makeTeam
      const call = yield* makeAgent(url, key)
      const { data } = yield* call("get_workspace")
      assert.deepStrictEqual(data.can, { draft: true, schedule: true, publish: true })
      assert.strictEqual(data.platforms, "sandbox")
      assert.deepStrictEqual(data.accounts.map(({ platform }: { readonly platform: string }) => platform).toSorted(), [
        "bluesky",
        "twitter"
      ])
      const drafting = yield* makeKey(workspaceId, { requiresApproval: true, scopes: ["posts:write"] })
      const limited = yield* callTool(url, drafting.key, "get_workspace")
      assert.deepStrictEqual(limited.data.can, { draft: true, schedule: false, publish: false })
      assert.isNull(limited.data.accounts)
    })
  )

  it.effect("A post is checked, created, found, read, changed, published and deleted by tools", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { key } = yield* makeTeam
      const call = yield* makeAgent(url, key)
      const args = { content: "Our release is out", platforms: ["bluesky", "twitter"] }
      const checked = yield* call("check_post", args)
      assert.isTrue(checked.data.valid)
      const created = yield* call("create_post", { ...args, tags: ["release"], thread: [{ content: "In detail" }] })
      assert.strictEqual(created.data.next, "draft")
      const { id } = created.data
      const listed = yield* call("list_posts", { tag: "release", sort: "created_at", from: "1969-01-01T00:00:00Z" })
      assert.deepStrictEqual(
        [listed.data.posts[0].id, listed.data.posts[0].excerpt, listed.data.posts[0].thread_parts],
        [id, "Our release is out", 1]
      )
      const read = yield* call("get_post", { id })
      assert.strictEqual(read.data.content, "Our release is out")
      assert.strictEqual(read.data.thread[0].content, "In detail")
      assert.strictEqual(read.data.etag, created.data.etag)
      const changed = yield* call("update_post", { id, etag: read.data.etag, content: "Our release is out today" })
      assert.strictEqual(changed.data.excerpt, "Our release is out today")
      const again = yield* call("update_post", { id, etag: read.data.etag, content: "Our release is out today" })
      assert.deepStrictEqual([again.data.etag, again.data.replayed], [changed.data.etag, true])
      const published = yield* call("publish_post", { id, etag: changed.data.etag })
      assert.strictEqual(published.data.status, "scheduled")
      const retried = yield* call("publish_post", { id, etag: changed.data.etag })
      assert.deepStrictEqual([retried.data.etag, retried.data.replayed], [published.data.etag, true])
      const deleted = yield* call("delete_post", { id, etag: published.data.etag })
      assert.deepStrictEqual([deleted.data.id, deleted.data.left_on_platforms, deleted.data.replayed], [id, 0, false])
      assert.isTrue((yield* call("delete_post", { id, etag: published.data.etag })).data.replayed)
      assert.strictEqual(failure(yield* call("get_post", { id })), "not_found")
    })
  )

  it.effect("A tool that fails says by which path, so that the next call can be right", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { key } = yield* makeTeam
      const call = yield* makeAgent(url, key)
      const misnamed = yield* call("create_post", {
        content: "a",
        platforms: ["x"],
        scheduled_at: "2030-01-01T00:00:00Z"
      })
      assert.strictEqual(failure(misnamed), "invalid_request")
      assert.deepStrictEqual(paths(misnamed), [["scheduled_at"], ["platforms", 0]])
      assert.include(misnamed.data.detail, 'did you mean "twitter"')
      const long = yield* call("create_post", {
        content: "a".repeat(400),
        platforms: ["twitter"],
        schedule_at: "1970-01-02T00:00:00+01:00"
      })
      assert.strictEqual(failure(long), "content_too_long")
      assert.deepStrictEqual(paths(long), [["twitter"]])
      const { data } = yield* call("create_post", { content: "a", platforms: ["bluesky"] })
      const failures = {
        list: yield* call("list_posts", { limit: 5_000 }),
        cursor: yield* call("list_posts", { cursor: "x" }),
        get: yield* call("get_post", { id: "x" }),
        getUnknown: yield* call("get_post", { id: unknownPost }),
        check: yield* call("check_post", { content: "a", platforms: [] }),
        split: yield* call("split_text", { content: "a".repeat(20_001), platforms: ["bluesky"] }),
        update: yield* call("update_post", { id: data.id, content: "b" }),
        updateLoosely: yield* call("update_post", { id: data.id, etag: "1", content: "b" }),
        updateOld: yield* call("update_post", { id: data.id, etag: "7-draft", content: "b" }),
        delete: yield* call("delete_post", { id: data.id, etag: "*" }),
        deleteOld: yield* call("delete_post", { id: data.id, etag: "1-scheduled" }),
        publishOld: yield* call("publish_post", { id: data.id, etag: "1-scheduled" }),
        publishUnknown: yield* call("publish_post", { id: unknownPost, etag: "1-draft" }),
        media: yield* call("add_media", { url: "http://images.example/a.png", alt: " " }),
        notifications: yield* call("list_notifications", { limit: 51 }),
        workspace: yield* call("get_workspace", { workspace: "another" })
      }
      assert.deepStrictEqual(
        Object.entries(failures).map(([name, result]) => [name, failure(result)]),
        [
          ["list", "invalid_request"],
          ["cursor", "invalid_request"],
          ["get", "invalid_request"],
          ["getUnknown", "not_found"],
          ["check", "invalid_request"],
          ["split", "invalid_request"],
          ["update", "invalid_request"],
          ["updateLoosely", "invalid_request"],
          ["updateOld", "revision_mismatch"],
          ["delete", "invalid_request"],
          ["deleteOld", "revision_mismatch"],
          ["publishOld", "revision_mismatch"],
          ["publishUnknown", "not_found"],
          ["media", "invalid_request"],
          ["notifications", "invalid_request"],
          ["workspace", "invalid_request"]
        ]
      )
      assert.include(failures.updateOld.data.detail, "revision 1 and a draft")
      for (const { data: error } of Object.values(failures)) {
        assert.deepStrictEqual(Object.keys(error), ["code", "detail", "errors", "request_id"])
        assert.isNotEmpty(error.detail)
      }
    })
  )

  it.effect("A key that requires approval drafts, and no tool of any key decides on its draft", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { cookie, key, workspaceId } = yield* makeTeam
      const drafting = yield* makeAgent(url, (yield* makeKey(workspaceId, { requiresApproval: true })).key)
      const publishing = yield* makeAgent(url, key)
      const { data } = yield* drafting("create_post", {
        content: "To be approved",
        platforms: ["bluesky"],
        schedule_at: "1970-01-02T00:00:00Z"
      })
      assert.deepStrictEqual([data.status, data.next], ["draft", "waits_for_approval"])
      const { etag, id } = data
      assert.strictEqual(failure(yield* publishing("publish_post", { id, etag })), "approval_required")
      assert.strictEqual(
        failure(yield* publishing("update_post", { id, etag, status: "scheduled" })),
        "approval_required"
      )
      const read = yield* publishing("get_post", { id })
      assert.deepStrictEqual([read.data.status, read.data.approval, read.data.etag], ["draft", "requested", etag])
      const approved = yield* sendJson(`${url}/v1/posts/${id}/approve`, "POST", sessionHeaders(cookie), { revision: 1 })
      assert.strictEqual(approved.status, 200)
      assert.strictEqual((yield* drafting("get_post", { id })).data.status, "scheduled")
    })
  )

  it.effect("Over HTTP a key that publishes still decides, so that only tools are barred", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { key, workspaceId } = yield* makeTeam
      const drafting = yield* makeKey(workspaceId, { requiresApproval: true })
      const { data } = yield* callTool(url, drafting.key, "create_post", {
        content: "To be approved",
        platforms: ["bluesky"],
        schedule_at: "1970-01-02T00:00:00Z"
      })
      const { status } = yield* sendJson(`${url}/v1/posts/${data.id}/publish`, "POST", keyHeaders(key))
      assert.strictEqual(status, 202)
    })
  )

  it.effect("split_text returns the parts of a thread, and their lengths on each platform", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { key } = yield* makeTeam
      const call = yield* makeAgent(url, key)
      const { data } = yield* call("split_text", { content: "One.\n---\nTwo.", platforms: ["bluesky", "twitter"] })
      assert.deepStrictEqual(data.parts, [{ content: "One." }, { content: "Two." }])
      assert.deepStrictEqual(data.per_platform, [
        { platform: "bluesky", limit: 300, lengths: [4, 4] },
        { platform: "twitter", limit: 280, lengths: [4, 4] }
      ])
      assert.isTrue(data.fits)
    })
  )

  it.effect(
    "A change that was undone since is not made again by the same call, which says so, but by the next occurrence",
    () =>
      Effect.gen(function* () {
        const url = yield* ServerUrl
        const { key } = yield* makeTeam
        const call = yield* makeAgent(url, key)
        const draft = { content: "To and fro", platforms: ["bluesky"], schedule_at: "1970-01-02T00:00:00Z" }
        const { id } = (yield* call("create_post", draft)).data
        const unschedule = { id, etag: "1-scheduled", status: "draft" }
        assert.deepInclude((yield* call("update_post", unschedule)).data, { status: "draft", replayed: false })
        assert.deepInclude((yield* call("update_post", unschedule)).data, { status: "draft", replayed: true })
        assert.deepInclude((yield* call("update_post", { id, etag: "1-draft", status: "scheduled" })).data, {
          status: "scheduled"
        })
        const again = (yield* call("update_post", unschedule)).data
        assert.deepInclude(again, { status: "scheduled", etag: "1-scheduled", replayed: true })
        assert.include(again.message, "this call changed nothing")
        const meant = (yield* call("update_post", { ...unschedule, occurrence: 2 })).data
        assert.deepInclude(meant, { status: "draft", etag: "1-draft", replayed: false })
      })
  )

  it.effect("A change that voids the request for approval does not say that a person will decide", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { workspaceId } = yield* makeTeam
      const call = yield* makeAgent(url, (yield* makeKey(workspaceId, { requiresApproval: true })).key)
      const draft = { content: "Once", platforms: ["bluesky"], schedule_at: "1970-01-02T00:00:00Z" }
      const { id } = (yield* call("create_post", draft)).data
      const { data } = yield* call("update_post", { id, etag: "1-draft", content: "Other" })
      assert.strictEqual(data.approval, "outdated")
      assert.include(data.message, "approval has to be requested again")
      const asked = yield* call("update_post", { id, etag: "2-draft", status: "scheduled" })
      assert.deepInclude(asked.data, { status: "draft", approval: "requested" })
      assert.include(asked.data.message, "A person has to approve")
    })
  )

  it.effect("A call with the default of occurrence is the call without it", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { key } = yield* makeTeam
      const call = yield* makeAgent(url, key)
      const draft = { content: "Once", platforms: ["bluesky"] }
      const first = yield* call("create_post", draft)
      const second = yield* call("create_post", { ...draft, occurrence: 1 })
      assert.deepStrictEqual([second.data.id, second.data.replayed], [first.data.id, true])
      assert.notStrictEqual((yield* call("create_post", { ...draft, occurrence: 2 })).data.id, first.data.id)
    })
  )

  it.effect("A post whose settings are larger than a result is read without them", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { key } = yield* makeTeam
      const call = yield* makeAgent(url, key)
      const youtube = { thumbnail_url: `https://e.example/${"a".repeat(40_000)}` }
      const { body } = yield* sendJson(`${url}/v1/posts`, "POST", keyHeaders(key), {
        content: "Large",
        platforms: ["bluesky"],
        platform_settings: { youtube }
      })
      const { data } = yield* call("get_post", { id: body.id })
      assert.deepInclude(data, { content: "Large", platform_settings: {}, truncated: true })
    })
  )

  it.effect("list_notifications pages, and tells the post that a notification is about", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { cookie, key, workspaceId } = yield* makeTeam
      const call = yield* makeAgent(url, key)
      for (const title of ["First", "Second"]) yield* notify(workspaceId, title)
      const { data } = yield* call("list_notifications", { limit: 1 })
      assert.deepStrictEqual(
        [data.total, data.has_more, data.notifications[0].title, typeof data.notifications[0].post_id],
        [2, true, "Second", "string"]
      )
      yield* sendJson(`${url}/v1/notifications/read-all`, "POST", sessionHeaders(cookie))
      const unread = yield* call("list_notifications", { unread: true })
      assert.deepStrictEqual([unread.data.total, unread.data.notifications], [0, []])
    })
  )

  it.effect("An agent reads the queue, takes its next slot for a draft that asks, and moves a post into a slot", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { key, workspaceId } = yield* makeTeam
      const entries = ["monday", "tuesday"].map((weekday) => ({ weekday, time: "09:00" }))
      yield* sendJson(`${url}/v1/queue`, "PUT", keyHeaders(key), { time_zone: "UTC", entries })
      const call = yield* makeAgent(url, (yield* makeKey(workspaceId, { requiresApproval: true })).key)
      const { data: queue } = yield* call("get_queue", {})
      assert.deepStrictEqual([queue.time_zone, queue.entries], ["UTC", entries])
      const text = { content: "Hello", platforms: ["bluesky"] }
      const { data } = yield* call("create_post", { ...text, schedule: "next_slot" })
      assert.deepStrictEqual([data.next, data.scheduled_at], ["waits_for_approval", queue.next_slot])
      const { data: draft } = yield* call("create_post", text)
      const moved = yield* call("update_post", { id: draft.id, etag: draft.etag, schedule: "next_slot" })
      assert.strictEqual(
        moved.data.scheduled_at,
        (yield* sendJson(
          `${url}/v1/queue/slots?from=${queue.next_slot}&to=1970-02-01T00:00:00Z`,
          "GET",
          keyHeaders(key)
        )).body.data[1].at
      )
      const both = yield* call("update_post", {
        id: draft.id,
        etag: moved.data.etag,
        schedule: "next_slot",
        remove_time: true
      })
      assert.include(both.data.detail, "Send either `remove_time` or `schedule`, not both")
    })
  )

  it.effect("Results stay within 32 kB: texts are cut, and lists end early with a cursor that leads on", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { key } = yield* makeTeam
      const call = yield* makeAgent(url, key)
      const ids: Array<string> = []
      for (let index = 0; index < 45; index++) {
        const { data } = yield* call("create_post", { content: `${index} ${"ä".repeat(600)}`, platforms: ["bluesky"] })
        ids.unshift(data.id)
      }
      const listed: Array<string> = []
      let cursor: unknown = null
      do {
        const page = cursor === null ? {} : { cursor }
        const { data, structured }: ToolResult = yield* call("list_posts", { limit: 50, ...page })
        assert.isAtMost(Buffer.byteLength(JSON.stringify(structured)), 32_000)
        listed.push(...data.posts.map(({ id }: { readonly id: string }) => id))
        cursor = data.next_cursor
      } while (cursor !== null)
      assert.deepStrictEqual(listed, ids)
      const { data: large } = yield* call("create_post", {
        content: "ä".repeat(9_000),
        platforms: ["bluesky"],
        thread: [{ content: "ö".repeat(9_000) }]
      })
      const { data: read, structured } = yield* call("get_post", { id: large.id })
      assert.isAtMost(Buffer.byteLength(JSON.stringify(structured)), 32_000)
      assert.isTrue(read.truncated)
      assert.isTrue(read.content.endsWith("…"))
      assert.deepStrictEqual([read.id, read.etag, read.status], [large.id, "1-draft", "draft"])
    })
  )
})
