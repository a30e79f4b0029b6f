import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { WorkspaceId } from "../../src/domain/ids.ts"
import { CheckLinks, checkLinksLayer } from "../../src/outlook/CheckLinks.ts"
import { Outbound } from "../../src/outbound/Outbound.ts"
import { innerServer } from "../outbound/innerServer.ts"

const workspaceId = WorkspaceId.make("01a1fc17-0000-7000-8000-000000000002")

const links = checkLinksLayer.pipe(Layer.provide(Outbound.layer({ loopback: true })))

/** A site, and the requests that it got. */
const site = Effect.gen(function* () {
  const requests: Array<string> = []
  const { port } = yield* innerServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    const [, status = "200", ofHead = status] = (request.url ?? "").split("/")
    if (status === "hang") return
    if (status === "moved") response.writeHead(302, { location: "/200" })
    else if (status === "loop") response.writeHead(302, { location: "/loop" })
    else response.writeHead(Number(request.method === "HEAD" ? ofHead : status))
    response.end()
  })
  return { requests, url: (path: string) => `http://127.0.0.1:${port}${path}` }
})

const check = (url: string) => Effect.flatMap(CheckLinks, (ask) => ask(workspaceId, url))

describe("CheckLinks", () => {
  it.effect("A page that answers HEAD is asked once, and remembered", () =>
    Effect.gen(function* () {
      const { requests, url } = yield* site
      assert.deepStrictEqual(yield* check(url("/200")), { _tag: "Answers" })
      assert.deepStrictEqual(yield* check(url("/200")), { _tag: "Answers" })
      assert.deepStrictEqual(requests, ["HEAD /200"])
    }).pipe(Effect.provide(links))
  )

  it.effect("A page that refuses HEAD is asked by GET", () =>
    Effect.gen(function* () {
      const { requests, url } = yield* site
      assert.deepStrictEqual(yield* check(url("/200/405")), { _tag: "Answers" })
      assert.deepStrictEqual(requests, ["HEAD /200/405", "GET /200/405"])
    }).pipe(Effect.provide(links))
  )

  it.effect("Redirects are followed, and an endless one is broken", () =>
    Effect.gen(function* () {
      const { url } = yield* site
      assert.deepStrictEqual(yield* check(url("/moved")), { _tag: "Answers" })
      assert.strictEqual((yield* check(url("/loop")))._tag, "Broken")
    }).pipe(Effect.provide(links))
  )

  it.effect.each(["404", "410", "500", "503"])("A page that answers %s is broken", (status) =>
    Effect.gen(function* () {
      const { url } = yield* site
      assert.deepStrictEqual(yield* check(url(`/${status}`)), {
        _tag: "Broken",
        reason: `it answers with the status ${status}`
      })
    }).pipe(Effect.provide(links))
  )

  it.effect.each([401, 403, 429, 999])("A page that answers programs with %s may be there for people", (status) =>
    Effect.gen(function* () {
      const { url } = yield* site
      assert.deepStrictEqual(yield* check(url(`/${status}`)), { _tag: "Withheld", status })
    }).pipe(Effect.provide(links))
  )

  it.effect("A workspace whose links never answer leaves places for another one", () =>
    Effect.gen(function* () {
      const { url } = yield* site
      yield* Effect.forEach(Array.from({ length: 20 }).keys(), (number) =>
        Effect.forkScoped(check(url(`/hang/${number}`)))
      )
      const other = WorkspaceId.make("01a1fc17-0000-7000-8000-000000000003")
      const checkLink = yield* CheckLinks
      assert.deepStrictEqual(yield* checkLink(other, url("/200")), { _tag: "Answers" })
    }).pipe(Effect.scoped, Effect.provide(links))
  )

  it.effect("A host that is away leaves the link unchecked, and so does an address of this network", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* check("http://127.0.0.1:9/"))._tag, "Unchecked")
      const guarded = Layer.fresh(checkLinksLayer.pipe(Layer.provide(Outbound.layer({ loopback: false }))))
      const { requests, url } = yield* site
      assert.strictEqual((yield* Effect.provide(check(url("/200")), guarded))._tag, "Unchecked")
      assert.deepStrictEqual(requests, [])
    }).pipe(Effect.provide(links))
  )
})
