import { Effect, Exit, Queue, Redacted, Scope } from "effect"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { Webhook } from "standardwebhooks"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { freshDatabase } from "../support/database/testDatabase.ts"
import { runCommand } from "../support/process/commands.ts"
import { freePort } from "../support/process/program.ts"
import { runService } from "../support/process/service.ts"
import { maskUrl } from "../../src/domain/webhooks/maskedUrl.ts"
import { makeReceiver, type Received } from "../webhooks/receiver.ts"

const scope = Scope.makeUnsafe()
let env: Record<string, string> = {}
let dataDir = ""
let port = 0
let workspace = ""
let receiver: Effect.Success<ReturnType<typeof makeReceiver>>

const json = (text: string) => JSON.parse(text)

const cli = async (...args: ReadonlyArray<string>) => {
  const { code, errors, output } = await Effect.runPromise(runCommand([...args, "--json"], env))
  assert.strictEqual(code, 0, errors)
  return json(output)
}

const webhook = (command: string, ...args: ReadonlyArray<string>) =>
  cli("webhook", command, "--workspace", workspace, ...args)

/** The next event of a type that arrives. */
const arrival = async (type: string): Promise<Received> => {
  const received = await Effect.runPromise(Queue.take(receiver.received))
  return json(received.body).type === type ? received : arrival(type)
}

beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), "webhooks "))
  const url = await Effect.runPromise(Scope.provide(freshDatabase, scope))
  port = await freePort()
  const key = Buffer.alloc(32, 1).toString("base64")
  env = { DATA_DIR: dataDir, DATABASE_URL: Redacted.value(url), ENCRYPTION_KEY: key }
  receiver = await Effect.runPromise(Scope.provide(makeReceiver(), scope))
  await Effect.runPromise(Scope.provide(runService({ ...env, PORT: String(port) }), scope))
  workspace = (await cli("workspace", "list"))[0].id
})
afterAll(async () => {
  await Effect.runPromise(Scope.close(scope, Exit.void))
  await rm(dataDir, { recursive: true, force: true })
})

describe("webhook", () => {
  it("The running service sends a test and what happens to posts to a webhook that a command created", async () => {
    const { id, secret } = await webhook("create", "--url", receiver.url)
    const queued = await webhook("test", id)
    const tested = await arrival("webhook.test")
    assert.strictEqual(tested.headers["webhook-id"], queued.id)
    assert.isDefined(new Webhook(secret).verify(tested.body, tested.headers))

    const { key } = await cli("key", "create", "--workspace", workspace)
    const call = async (method: string, route: string, body?: object) => {
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
      const sent = body === undefined ? {} : { body: JSON.stringify(body) }
      const response = await fetch(`http://127.0.0.1:${port}/v1${route}`, { method, headers, ...sent })
      return json(await response.text())
    }
    const post = await call("POST", "/posts", { content: "Hello", platforms: ["bluesky"] })
    await call("POST", `/posts/${post.id}/publish`)
    for (const type of ["post.scheduled", "post.target.published", "post.published"]) {
      const { body, headers } = await arrival(type)
      assert.strictEqual(json(body).data.post_id, post.id)
      assert.isDefined(new Webhook(secret).verify(body, headers))
    }
    await webhook("resend", id, queued.id)
    const again = await arrival("webhook.test")
    assert.strictEqual(again.headers["webhook-id"], queued.id)
    assert.deepInclude(await webhook("disable", id), { enabled: false, disabled_reason: "manual" })
    const [listed, ...others] = await webhook("list")
    assert.deepStrictEqual([listed.url, others], [maskUrl(receiver.url), []])
    assert.include(
      (await webhook("deliveries", id)).map(({ type }: { readonly type: string }) => type),
      "post.published"
    )
  })

  it("A URL that nothing is sent to is refused with one line", async () => {
    const args = ["webhook", "create", "--workspace", workspace, "--url", "https://10.0.0.1/"]
    const { code, errors } = await Effect.runPromise(runCommand(args, env))
    assert.deepStrictEqual([code, errors.trim()], [1, "The URL does not lead to a public address"])
  })
})
