import { Effect, Schedule } from "effect"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { freePort, root, runProgramOf } from "../support/process/program.ts"

const temporaryDirectory = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(path.join(tmpdir(), "sandbox-"))),
  (directory) => Effect.promise(() => rm(directory, { recursive: true, force: true }))
)

/** A sandbox in which a platform is enabled, with calls by its demo's key. */
export const startSandbox = Effect.fnUntraced(function* (
  platform: string,
  settings: Readonly<Record<string, string>> = {}
) {
  const port = String(yield* Effect.promise(freePort))
  const env = {
    PORT: port,
    DATA_DIR: yield* temporaryDirectory,
    ENABLE_PLATFORMS: platform,
    RATE_LIMIT_PER_MINUTE: "6000",
    DEMO_EXAMPLES: "off",
    ...settings
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
  const url = `http://127.0.0.1:${port}`
  const headers = { authorization: `Bearer ${key}` }

  const call = (method: string, route: string, body?: object) =>
    Effect.promise(async () => {
      const response = await fetch(`${url}${route}`, {
        method,
        headers: { ...headers, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      return JSON.parse(await response.text())
    })

  /** Creates a post that is due in a second. */
  const create = (body: object) =>
    call("POST", "/v1/posts", {
      platforms: [platform],
      schedule_at: new Date(Date.now() + 1_000).toISOString(),
      ...body
    })

  const targetOf = (id: string) => Effect.map(call("GET", `/v1/posts/${id}`), ({ data }) => data.post_targets.at(-1))

  /** The last target of a post, once it has ended. An unknown outcome is waited for. */
  const settled = (id: string) =>
    Effect.repeat(targetOf(id), {
      until: ({ status }) => /^(?:published|failed)$/.test(status),
      schedule: Schedule.spaced("200 millis")
    })

  /** The last target of a post, once it has ended or its outcome is unknown. */
  const ended = (id: string) =>
    Effect.repeat(targetOf(id), {
      until: ({ error, status }) => /^(?:published|failed)$/.test(status) || error?.code === "outcome_unknown",
      schedule: Schedule.spaced("200 millis")
    })

  /** Uploads a file, and returns its id once it is ready. */
  const upload = Effect.fnUntraced(function* (bytes: Uint8Array, type: string) {
    const { data: file } = yield* Effect.promise(async () => {
      const body = new FormData()
      body.append("file", new Blob([Uint8Array.from(bytes)], { type }), "a")
      return JSON.parse(await (await fetch(`${url}/v1/media`, { method: "POST", headers, body })).text())
    })
    yield* Effect.repeat(call("GET", `/v1/media/${file.id}`), {
      until: ({ data }) => data.status !== "processing",
      schedule: Schedule.spaced("100 millis")
    })
    return String(file.id)
  })

  const page = (address: string) => Effect.promise(async () => (await fetch(address)).text())

  return { call, create, ended, settled, upload, page, url }
})
