import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import sharp from "sharp"
import { imageFacts } from "../support/database/mediaFixtures.ts"
import { errorPaths, send } from "../support/http/client.ts"
import { ServerUrl } from "../support/http/server.ts"
import { makeKey, makeTeam } from "../support/http/team.ts"
import { agents, agentServerLayer, ask, callTool } from "./agent.ts"
import { lineOf, watchInnerRequests } from "./innerRequests.ts"

const inner = watchInnerRequests()

const added = "POST /v1/media/from-url"
const read = "GET /v1/media/:id"

const picture = { url: "https://images.example/a.png", alt: "A picture" }

/** Adds a file with a key of a workspace of its own, and lets time pass until the tool answers. */
const addMedia = Effect.fnUntraced(function* (
  args: object,
  /** What happens in the workspace before a request of the tool, by its number. */
  before: Readonly<Record<number, (workspaceId: string) => Effect.Effect<unknown, unknown, SqlClient.SqlClient>>> = {},
  scopes: Parameters<typeof makeKey>[1] = {}
) {
  const url = yield* ServerUrl
  const sql = yield* SqlClient.SqlClient
  const { workspaceId } = yield* makeTeam
  const { key } = yield* makeKey(workspaceId, scopes)
  const happen = (sent: ReadonlyArray<unknown>) =>
    Effect.asVoid(
      Effect.orDie(
        (before[sent.length] ?? (() => Effect.void))(workspaceId).pipe(Effect.provideService(SqlClient.SqlClient, sql))
      )
    )
  const began = yield* Clock.currentTimeMillis
  const adding = yield* Effect.forkChild(inner.during(callTool(url, key, "add_media", args), happen))
  while (adding.pollUnsafe() === undefined) {
    yield* TestClock.adjust("250 millis")
    yield* send(`${url}/healthz`)
  }
  const { requests, result } = yield* Fiber.join(adding)
  const seconds = ((yield* Clock.currentTimeMillis) - began) / 1_000
  return { ...result, lines: requests.map(lineOf), seconds }
})

const makeReady = (workspaceId: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
    UPDATE media SET status = 'ready', type = 'image', content_type = 'image/png', facts = ${JSON.stringify(imageFacts)}::jsonb,
      width = 40, height = 30, hash = ${Buffer.alloc(32)}::bytea, next_at = NULL
    WHERE workspace_id = ${workspaceId}::uuid`
  )

const makeFailed = (workspaceId: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
    UPDATE media SET status = 'failed', error_code = 'unreadable', error_message = 'Ignore this', next_at = NULL
    WHERE workspace_id = ${workspaceId}::uuid`
  )

const remove = (workspaceId: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`DELETE FROM media WHERE workspace_id = ${workspaceId}::uuid`)

layer(agentServerLayer({ others: Layer.merge(agents, inner.layer) }))("a file that an agent adds", (it) => {
  it.effect("The tool answers as soon as the file is ready", () =>
    Effect.gen(function* () {
      const { data, lines } = yield* addMedia(picture, { 4: makeReady })
      assert.deepStrictEqual(lines, [added, read, read, read])
      assert.deepInclude(data, {
        status: "ready",
        type: "image",
        width: 40,
        height: 30,
        error_code: null,
        message: "The file is ready; name its id in `media` of create_post."
      })
    })
  )

  it.effect("The tool answers after some twenty seconds although the file is not ready", () =>
    Effect.gen(function* () {
      const { data, lines, seconds } = yield* addMedia(picture)
      assert.deepStrictEqual(lines, [added, ...Array<string>(9).fill(read)])
      assert.strictEqual(data.status, "processing")
      assert.include(data.message, "still being fetched or read")
      assert.isAtLeast(seconds, 20)
    })
  )

  it.effect("What a file failed with stands in fields of its own", () =>
    Effect.gen(function* () {
      const { data, isError, lines } = yield* addMedia(picture, { 2: makeFailed })
      assert.deepStrictEqual(lines, [added, read])
      assert.isFalse(isError)
      assert.deepInclude(data, {
        status: "failed",
        error_code: "unreadable",
        error_message: "Ignore this",
        message: "The file can't be used; error_code and error_message tell why."
      })
    })
  )

  it.effect("A file that is gone is not asked for again", () =>
    Effect.gen(function* () {
      const { data, lines } = yield* addMedia(picture, { 3: remove })
      assert.deepStrictEqual(lines, [added, read, read])
      assert.strictEqual(data.status, "processing")
    })
  )

  it.effect("The tool does not wait where it is told not to, or where its key may not read files", () =>
    Effect.gen(function* () {
      const told = yield* addMedia({ ...picture, wait: false })
      const blind = yield* addMedia(picture, {}, { scopes: ["media:write"] })
      for (const { data, lines } of [told, blind]) {
        assert.deepStrictEqual(lines, [added])
        assert.strictEqual(data.status, "processing")
      }
    })
  )

  it.effect("Each call adds a file, as the same address may have another one by then", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { key } = yield* makeTeam
      const args = { ...picture, wait: false }
      const first = yield* callTool(url, key, "add_media", args)
      const second = yield* callTool(url, key, "add_media", args)
      assert.notStrictEqual(first.data.id, second.data.id)
    })
  )

  it.effect("The bytes of a local file may come as a data URL, of more than a body's 1 MiB", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { key, workspaceId } = yield* makeTeam
      const sql = yield* SqlClient.SqlClient
      const image = yield* Effect.promise(() =>
        sharp({
          create: {
            width: 900,
            height: 700,
            channels: 3,
            noise: { type: "gaussian", mean: 128, sigma: 60 },
            background: "#fff"
          }
        })
          .png()
          .toBuffer()
      )
      assert.isAbove(image.length, 1_048_576)
      const source = `data:image/png;base64,${image.toString("base64")}`
      const lines = source.replaceAll(/.{76}/g, "$&\n")
      for (const args of [{ url: source }, { url: lines, alt: "Data: noise" }]) {
        const call = { alt: "Noise", wait: false, ...args }
        const { data, isError } = yield* callTool(url, key, "add_media", call)
        assert.isFalse(isError, JSON.stringify(data))
        const asText = yield* callTool(url, key, "add_media", JSON.stringify(call))
        assert.isFalse(asText.isError, JSON.stringify(asText.data))
      }
      const rows = yield* sql`
        SELECT alt, size::int AS bytes FROM media WHERE workspace_id = ${workspaceId}::uuid ORDER BY id`
      assert.deepStrictEqual(
        rows,
        ["Noise", "Noise", "Data: noise", "Data: noise"].map((alt) => ({ alt, bytes: image.length }))
      )
    })
  )

  it.effect("An address that can't be fetched is refused with the way that works, and a large message too", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { key } = yield* makeTeam
      for (const source of [
        "/tmp/a.png",
        "file:///tmp/a.png",
        "http://images.example/a.png",
        `https://images.example/${"a".repeat(2_000)}`,
        "data:image/png,abc",
        "data:image/png;base64,A",
        `data:image/png;base64,${"A".repeat(5_593_000)}`,
        "data:;base64,=a"
      ]) {
        const { data } = yield* callTool(url, key, "add_media", { url: source, alt: "A picture" })
        assert.deepStrictEqual(errorPaths(data), [["url"]], source.slice(0, 50))
        assert.include(data.detail, "POST /v1/media with the same key")
      }
      const text = Buffer.from("no picture").toString("base64")
      for (const [source, problem] of [
        ["data:image/png;base64,", "is empty"],
        ["data:image/png;base64, \n", "is empty"],
        ["data:image/png;base64,a b", "without other characters"],
        ["data:image/png;base64,%61%61", "without other characters"],
        ["data:image/png,abc", "begins like data:image/png;base64,"],
        ["DATA:", "begins like data:image/png;base64,"],
        [`data:image/png;base64,${"a".repeat(6_000_000)}`, "has 4.3 MB"],
        [`data:text/plain;base64,${text}`, "JPEG"]
      ] as const) {
        const { data, isError } = yield* callTool(url, key, "add_media", { url: source, alt: "A picture", wait: false })
        assert.isTrue(isError, source.slice(0, 40))
        assert.include(JSON.stringify(data), problem)
      }
      const broken = `data:image/png;base64,${"\n".repeat(300_000)}!`
      assert.isTrue((yield* callTool(url, key, "add_media", { url: broken, alt: "A picture" })).isError)
      const long = "a".repeat(1_100_000)
      const calls = [
        { name: "create_post", arguments: { content: long, platforms: ["bluesky"] } },
        { name: "create_post", arguments: { content: `data:${long}`, platforms: ["bluesky"] } },
        { name: "get_workspace", arguments: { url: `data:${long}` } },
        { name: "add_media", arguments: { url: "https://images.example/a.png", alt: long } },
        { name: "get_workspace", arguments: { k: "漢".repeat(400_000) } }
      ]
      for (const call of calls) {
        const { body, status } = yield* ask(url, key, "tools/call", call)
        assert.deepStrictEqual([status, body.code], [413, "payload_too_large"], call.name.slice(0, 20))
      }
    })
  )
})
