import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpClient, HttpClientRequest, HttpRouter, HttpServer } from "effect/http"
import { createServer } from "node:http"
import { livePlatforms } from "../../src/domain/plain/platforms.ts"
import type { LivePlatform } from "../../src/domain/platform.ts"
import { sendPost } from "../../src/platforms/carryOut.ts"
import { instagramByPages } from "../../src/platforms/instagram/live.ts"
import { platformsAt, standIns } from "../../src/platforms/standIns.ts"
import { sandboxRoutesLayer } from "../../src/sandbox/routes.ts"
import { makeThread } from "../platforms/threads.ts"
import { connected, targetId, world } from "../platforms/world.ts"

/** The sandbox's routes on a server of their own; the service has them beside its own routes. */
const siteOf = (enabled: ReadonlyArray<LivePlatform>) =>
  HttpRouter.serve(sandboxRoutesLayer({ enabled }), { disableLogger: true, disableListenLog: true }).pipe(
    Layer.provideMerge(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1", gracefulShutdownTimeout: 0 })),
    Layer.provideMerge(world())
  )
const site = siteOf(["twitter", "bluesky"])

const send = Effect.fn(function* (request: HttpClientRequest.HttpClientRequest) {
  const url = yield* HttpServer.addressFormattedWith(Effect.succeed)
  const response = yield* HttpClient.execute(HttpClientRequest.prependUrl(request, url))
  return { status: response.status, headers: response.headers, text: yield* response.text }
})
const get = (path: string) => send(HttpClientRequest.get(path))
const order = (body: string, type = "application/json") =>
  send(HttpClientRequest.post("/sandbox/faults").pipe(HttpClientRequest.bodyText(body, type)))

describe("The sandbox's pages", () => {
  it.effect("A name that another site has given this machine's address reads no page and orders no fault", () =>
    Effect.gen(function* () {
      const { id } = yield* Effect.flatMap(connected("twitter"), ({ publish }) =>
        Effect.map(publish("Hello there"), ({ url }) => ({ id: new URL(url ?? "").pathname }))
      )
      const as = (host: string) => (request: HttpClientRequest.HttpClientRequest) =>
        send(HttpClientRequest.setHeader(request, "host", host))
      for (const path of ["/sandbox", "/sandbox/faults", "/sandbox/style.css", id]) {
        const request = HttpClientRequest.get(path)
        assert.strictEqual((yield* as("rebound.example:80")(request)).status, 404, path)
        assert.strictEqual((yield* as("localhost:3000")(request)).status, 200, path)
        assert.strictEqual((yield* as("[::1]:3000")(request)).status, 200, path)
      }
      for (const request of [HttpClientRequest.post("/sandbox/faults"), HttpClientRequest.delete("/sandbox/faults")]) {
        assert.strictEqual((yield* as("rebound.example")(request)).status, 404)
      }
    }).pipe(Effect.provide(site))
  )

  it.effect("The start page shows both timelines, newest first", () =>
    Effect.gen(function* () {
      const x = yield* connected("twitter")
      const bluesky = yield* connected("bluesky")
      assert.lengthOf((yield* get("/sandbox")).text.split("Nothing posted yet."), 3)
      yield* x.publish("First on X")
      yield* x.publish("Second on X")
      yield* bluesky.publish("On Bluesky")
      const { headers, text } = yield* get("/sandbox")
      assert.match(headers["content-type"] ?? "", /^text\/html; charset=utf-8/)
      assert.isBelow(text.indexOf("Second on X"), text.indexOf("First on X"))
      assert.include(text, "On Bluesky")
    }).pipe(Effect.provide(site))
  )

  it.effect("Of many platforms the start page shows the newest posts, and leads to a page of each platform", () =>
    Effect.gen(function* () {
      const { publish } = yield* connected("twitter")
      for (let number = 1; number <= 7; number++) yield* publish(`Post ${number}.`)
      const { text } = yield* get("/sandbox")
      assert.lengthOf(text.split('class="post"'), 4)
      assert.notInclude(text, "sandbox-app-password")
      assert.include((yield* get("/sandbox/bluesky")).text, "sandbox-app-password")
      assert.include(text, "Post 7.")
      assert.notInclude(text, "Post 2.")
      assert.include(text, '<a href="/sandbox/twitter">All 7 posts on X</a>')
      assert.include(text, '<a href="/sandbox" aria-current="page">All</a>')
      const own = (yield* get("/sandbox/twitter")).text
      assert.lengthOf(own.split('class="post"'), 8)
      assert.include(own, '<a href="/sandbox/twitter" aria-current="page">X</a>')
      assert.notInclude(own, 'class="timeline bluesky"')
      // A platform that is not enabled has none.
      assert.strictEqual((yield* get("/sandbox/threads")).status, 404)
    }).pipe(Effect.provide(siteOf(["twitter", "bluesky", "linkedin"])))
  )

  it.effect.each([
    ...livePlatforms.map((platform) => [platform, {}] as const),
    ["instagram", { instagram: instagramByPages }] as const
  ])("Connecting an account leads to a page of %s that the service has", ([platform, configured]) =>
    Effect.gen(function* () {
      const url = yield* HttpServer.addressFormattedWith(Effect.succeed)
      const link = platformsAt(url, url, configured)[platform].makeLink("sandbox")
      if (link.kind !== "consent") return
      const redirectUri = `${url}/callback`
      const page = new URL(link.authorizeUrl({ redirectUri, state: "s", challenge: "c" }))
      // The service answers no path that ends with a slash, outside the API.
      assert.notMatch(page.pathname, /\/$/)
      const { status, text } = yield* get(`${page.pathname}${page.search}`)
      assert.strictEqual(status, 200)
      assert.include(text, "Allow")
    }).pipe(Effect.provide(siteOf(livePlatforms)))
  )

  it.effect("All pages name the enabled platforms, and LinkedIn's consent page a name without an @", () =>
    Effect.gen(function* () {
      const url = yield* HttpServer.addressFormattedWith(Effect.succeed)
      const consent = (platform: "linkedin" | "threads", path: string) =>
        get(
          `/sandbox/${platform}${path}?${new URLSearchParams({
            response_type: "code",
            client_id: standIns[platform].consent?.clientId ?? "",
            redirect_uri: `${url}/callback`,
            state: "s",
            code_challenge: "c",
            code_challenge_method: "S256"
          }).toString()}`
        )
      const linkedin = yield* consent("linkedin", standIns.linkedin.consent?.path ?? "")
      const threads = yield* consent("threads", standIns.threads.consent?.path ?? "")
      assert.match(linkedin.text, /Let .+ post as Visitor\?/)
      assert.match(threads.text, /Let .+ post as @visitor\?/)
      for (const { text } of [linkedin, threads, yield* get("/sandbox"), yield* get("/sandbox/twitter/a/status/1")]) {
        assert.include(text, "Stand-ins for X, Bluesky, LinkedIn, and Threads.")
      }
    }).pipe(Effect.provide(siteOf(["twitter", "bluesky", "linkedin", "threads"])))
  )

  it.effect("The URL of a published post leads to its page", () =>
    Effect.gen(function* () {
      const urls = yield* Effect.forEach(["twitter", "bluesky"] as const, (platform) =>
        Effect.flatMap(connected(platform), ({ publish }) => Effect.map(publish("Hello there"), ({ url }) => url ?? ""))
      )
      for (const url of urls) {
        const page = yield* get(new URL(url).pathname)
        assert.strictEqual(page.status, 200)
        assert.include(page.text, "Hello there")
      }
      assert.strictEqual((yield* get("/sandbox/twitter/acme/status/1")).status, 404)
      assert.strictEqual((yield* get("/sandbox/bluesky/profile/did:plc:x/post/y")).status, 404)
    }).pipe(Effect.provide(site))
  )

  it.effect.each(["twitter", "bluesky"] as const)(
    "A reply on %s is shown as one, with a link to the post that it replies to",
    (platform) =>
      Effect.gen(function* () {
        const { account, adapter, posts, sandbox } = yield* connected(platform)
        const [one, two] = yield* makeThread(adapter, account, targetId).publish(["The <first>", "The second"])
        const path = new URL(one?.url ?? "").pathname
        const note = `In reply to <a href="${path.replaceAll(":", "%3A")}">The &lt;first&gt;</a>`
        const timelines = (yield* get("/sandbox")).text
        assert.include(timelines, note)
        assert.lengthOf(timelines.split('class="post reply"'), 2)
        const page = yield* get(new URL(two?.url ?? "").pathname)
        assert.include(page.text, note)
        for (const post of yield* posts) if (post.text !== "The second") yield* sandbox.deletePost(post)
        assert.include((yield* get("/sandbox")).text, "In reply to a post that was deleted")
      }).pipe(Effect.provide(site))
  )

  it.effect("Pages load no scripts and nothing from other hosts, and escape markup in posts", () =>
    Effect.gen(function* () {
      const text = '<script>alert(1)</script> <img src=x onerror=alert(2)> "\' & https://example.com/?a="><b>'
      for (const platform of ["twitter", "bluesky"] as const) {
        const { publish } = yield* connected(platform)
        yield* publish(text)
      }
      const page = yield* get("/sandbox")
      const own = page.text.replace('<script src="/sandbox/live.js" defer></script>', "")
      assert.notMatch(own, /<script|<img|<b>|<style|style=|onerror="|http-equiv/)
      const script = yield* get("/sandbox/live.js")
      assert.match(script.headers["content-type"] ?? "", /^text\/javascript/)
      assert.include(page.text, "&lt;script&gt;alert(1)&lt;/script&gt;")
      const policy = page.headers["content-security-policy"] ?? ""
      assert.include(policy, "default-src 'none'")
      assert.include(policy, "script-src 'self'")
      assert.include(policy, "style-src 'self'")
      assert.notInclude(policy, "unsafe")
      const style = yield* get("/sandbox/style.css")
      assert.match(style.headers["content-type"] ?? "", /^text\/css/)
      assert.notMatch(style.text, /url\(|@import/)
    }).pipe(Effect.provide(site))
  )

  it.effect("The page leads back to the dashboard, and says how another account is connected", () =>
    Effect.gen(function* () {
      const { text } = yield* get("/sandbox")
      assert.include(text, '<a class="home" href="/">Back to the dashboard</a>')
      assert.include(text, "NAME.sandbox.test")
      assert.include(text, "sandbox-app-password")
    }).pipe(Effect.provide(site))
  )

  it.effect("A post's link is a link on the page only if it is an http or https URL", () =>
    Effect.gen(function* () {
      const { account, adapter, prepare } = yield* connected("bluesky")
      const prepared = JSON.parse(JSON.stringify(yield* prepare("Hello #tag")))
      prepared.record.facets[0].features = [{ $type: "app.bsky.richtext.facet#link", uri: "javascript:alert(1)" }]
      yield* sendPost(adapter, prepared, account)
      assert.notInclude((yield* get("/sandbox")).text, "javascript:")
    }).pipe(Effect.provide(site))
  )

  it.effect("The consent page redirects only to the host that it was requested from", () =>
    Effect.gen(function* () {
      const url = yield* HttpServer.addressFormattedWith(Effect.succeed)
      const authorize = (redirectUri: string, changes: Readonly<Record<string, string>> = {}) => {
        const query = new URLSearchParams({
          response_type: "code",
          client_id: "sandbox",
          redirect_uri: redirectUri,
          state: "s&1",
          code_challenge: "c",
          code_challenge_method: "S256",
          ...changes
        })
        return get(`/sandbox/twitter/i/oauth2/authorize?${query.toString()}`)
      }
      const page = yield* authorize(`${url}/callback`)
      assert.strictEqual(page.status, 200)
      assert.match(page.text, /href="http:\/\/127\.0\.0\.1:\d+\/callback\?state=s%261&amp;code=[\w-]+"/)
      assert.strictEqual((yield* authorize("https://elsewhere.example/callback")).status, 400)
      assert.strictEqual((yield* authorize("javascript:alert(1)")).status, 400)
      assert.strictEqual((yield* authorize(`${url}/callback`, { client_id: "other" })).status, 400)
      assert.strictEqual((yield* authorize(`${url}/callback`, { code_challenge_method: "plain" })).status, 400)
    }).pipe(Effect.provide(site))
  )
})

describe("Fault orders", () => {
  it.effect("Orders are accepted, listed, applied as often as ordered, and cleared", () =>
    Effect.gen(function* () {
      const accepted = yield* order(
        JSON.stringify({ platform: "twitter", fault: { kind: "status", status: 503 }, times: 2 })
      )
      assert.strictEqual(accepted.status, 201)
      const pending = { platform: "twitter", call: "publish", fault: { kind: "status", status: 503 }, times: 2 }
      assert.deepStrictEqual(JSON.parse(accepted.text), { data: pending })
      const { publish } = yield* connected("twitter")
      yield* Effect.ignore(publish("Hello"))
      assert.deepStrictEqual(JSON.parse((yield* get("/sandbox/faults")).text), { data: [{ ...pending, times: 1 }] })
      assert.include((yield* get("/sandbox")).text, "respond with 503, once")
      yield* order(JSON.stringify({ platform: "twitter", fault: { kind: "unseen", ms: 5000 } }))
      yield* order(JSON.stringify({ platform: "twitter", call: "reply", fault: { kind: "no_replies" } }))
      const page = yield* get("/sandbox")
      assert.include(page.text, "publish: not show the post to replies for 5000 ms, once")
      assert.include(page.text, "reply: let nobody reply, once")
      const cleared = yield* send(HttpClientRequest.delete("/sandbox/faults"))
      assert.deepStrictEqual(JSON.parse(cleared.text), { data: { cleared: 3 } })
      yield* publish("Hello")
      assert.deepStrictEqual(JSON.parse((yield* get("/sandbox/faults")).text), { data: [] })
    }).pipe(Effect.provide(site))
  )

  it.effect("An invalid order is refused with every issue", () =>
    Effect.gen(function* () {
      const refused = yield* order(
        JSON.stringify({ platform: "mastodon", fault: { kind: "status", status: 99, mood: 1 }, times: 0, when: "now" })
      )
      assert.strictEqual(refused.status, 400)
      assert.strictEqual(refused.headers["content-type"], "application/problem+json")
      const { code, errors } = JSON.parse(refused.text)
      assert.strictEqual(code, "invalid_request")
      assert.sameDeepMembers(
        errors.map(({ path }: { path: unknown }) => path),
        [["platform"], ["fault", "status"], ["fault", "mood"], ["times"], ["when"]]
      )
    }).pipe(Effect.provide(site))
  )

  it.effect.each([
    ["invalid JSON", "{"],
    ["an empty body", ""],
    ["an array", "[]"],
    ["an unknown fault", JSON.stringify({ platform: "twitter", fault: { kind: "flood" } })],
    ["no fault", JSON.stringify({ platform: "twitter" })]
  ] satisfies Array<[string, string]>)("An order with %s is refused", ([, body]) =>
    Effect.gen(function* () {
      const refused = yield* order(body)
      assert.strictEqual(refused.status, 400)
      assert.isNotEmpty(JSON.parse(refused.text).errors)
    }).pipe(Effect.provide(site))
  )

  it.effect("An order that is not sent as JSON is refused, because a page of another site could send it", () =>
    Effect.gen(function* () {
      const body = JSON.stringify({ platform: "twitter", fault: { kind: "hang" } })
      assert.strictEqual((yield* order(body, "text/plain")).status, 415)
    }).pipe(Effect.provide(site))
  )
})
