import { inSentence, isAlwaysLive, livePlatforms } from "../src/domain/plain/platforms.ts"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Option, Redacted } from "effect"
import { agentConnection, configuration, makeConfiguration } from "../src/config.ts"
import { liveFacts } from "../src/platforms/facts.ts"

const withEnvironment = (env: Readonly<Record<string, string>>) =>
  Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(env))

const read = (env: Readonly<Record<string, string>>) => configuration.pipe(withEnvironment(env))

const proxied = { TRUST_PROXY: "on", BASE_URL: "https://posts.example" }

describe("configuration", () => {
  it.effect.each([
    ["a sandbox on this machine", {}, true],
    ["a sandbox behind a proxy", proxied, false],
    ["a sandbox behind a proxy on this machine", { ...proxied, BASE_URL: "http://localhost:8080" }, false],
    ["a sandbox that others reach at another address", { BASE_URL: "https://posts.example" }, false],
    ["a live service", { PLATFORMS: "live" }, false]
  ] as const)(
    "Only a service that nobody else can use reaches this machine and offers the demo: %s",
    ([, env, isOwn]) =>
      Effect.gen(function* () {
        const { offersDemo, reachesLoopback } = yield* read(env)
        assert.deepStrictEqual({ offersDemo, reachesLoopback }, { offersDemo: isOwn, reachesLoopback: isOwn })
      })
  )

  it.effect.each<[string, Readonly<Record<string, string>>, string | undefined]>([
    ["a sandbox on this machine", {}, "http://127.0.0.1:3000"],
    [
      "a service at a public address",
      { PLATFORMS: "live", BASE_URL: "https://posts.example/" },
      "https://posts.example"
    ],
    ["a service without TLS", { PLATFORMS: "live", BASE_URL: "http://posts.example" }, undefined],
    ["a service of a private network", { PLATFORMS: "live", BASE_URL: "https://10.0.0.7" }, undefined],
    [
      "a service with another address for files",
      { PLATFORMS: "live", BASE_URL: "https://10.0.0.7", PUBLIC_URL: "https://files.example/" },
      "https://files.example"
    ],
    ["a name in another script", { PUBLIC_URL: "https://exämple.com/base/" }, "https://xn--exmple-cua.com/base"]
  ])("The address from which platforms fetch files: %s", ([, env, expected]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* read(env)).publicUrl, Option.fromUndefinedOr(expected))
    })
  )

  it.effect.each([
    "http://files.example",
    "https://10.0.0.7",
    "https://localhost",
    "https://[::1]",
    "https://user:secret@files.example",
    "https://100.64.0.1"
  ])("An address that platforms can't reach stops the start: %s", (url) =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(read({ PUBLIC_URL: url }))
      assert.match(message, /PUBLIC_URL/)
      assert.match(message, /https:\/\/posts\.example\.com/)
    })
  )

  it.effect("Origins that may use the server of agents are read as browsers write them, each once", () =>
    Effect.gen(function* () {
      const originsOf = (value: string) =>
        Effect.map(read({ MCP_ALLOWED_ORIGINS: value }), ({ mcpAllowedOrigins }) => mcpAllowedOrigins)
      assert.deepStrictEqual((yield* read({})).mcpAllowedOrigins, [])
      assert.deepStrictEqual(yield* originsOf(""), [])
      assert.deepStrictEqual(
        yield* originsOf(
          "https://a.example/ ,HTTPS://A.example:443,http://127.0.0.1:6274,http://[::1]:80,https://bücher.example,"
        ),
        ["https://a.example", "http://127.0.0.1:6274", "http://[::1]", "https://xn--bcher-kva.example"]
      )
    })
  )

  it.effect("What is no origin stops the start, with each such value named", () =>
    Effect.gen(function* () {
      const wrong = [
        "*",
        "null",
        "https://*.example",
        "https://a.example/path",
        "https://a.example?",
        "https://user@a.example",
        "https://a.example:99999",
        "a.example",
        "ftp://a.example",
        "chrome-extension://abc"
      ]
      const { message } = yield* Effect.flip(read({ MCP_ALLOWED_ORIGINS: `https://fine.example,${wrong.join(",")}` }))
      assert.strictEqual(
        message,
        `MCP_ALLOWED_ORIGINS: Expected origins such as https://client.example; these are not: ${wrong.join(", ")}`
      )
    })
  )
})

describe("SMTP_URL and MAIL_FROM", () => {
  const from = "Social Publisher <posts@publisher.example>"

  const readMail = (url: string, sender = from) =>
    Effect.map(read({ SMTP_URL: url, MAIL_FROM: sender }), ({ mail }) => Option.getOrThrow(mail))

  it.effect("Without both, the service sends no mail", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* read({})).mail, Option.none())
    })
  )

  it.effect.each([
    [{ SMTP_URL: "smtps://mail.example" }, "MAIL_FROM: required if SMTP_URL is set"],
    [{ MAIL_FROM: from }, "SMTP_URL: required if MAIL_FROM is set"]
  ] as const)("One without the other stops the start: %j", ([env, expected]) =>
    Effect.gen(function* () {
      assert.strictEqual((yield* Effect.flip(read(env))).message, expected)
    })
  )

  it.effect.each([
    ["smtps://mail.example", { host: "mail.example", port: 465, beginsWithTls: true, requiresTls: true }],
    ["smtp://mail.example", { host: "mail.example", port: 587, beginsWithTls: false, requiresTls: true }],
    ["smtp://mail.example:2525/", { host: "mail.example", port: 2525, beginsWithTls: false, requiresTls: true }],
    ["smtp://localhost:25", { host: "localhost", port: 25, beginsWithTls: false, requiresTls: false }],
    ["smtp://[::1]:25", { host: "::1", port: 25, beginsWithTls: false, requiresTls: false }]
  ] as const)("A server is read from its URL: %s", ([url, expected]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* readMail(url)).server, { ...expected, login: null })
    })
  )

  it.effect("A login is decoded, and a sender has a name and an address", () =>
    Effect.gen(function* () {
      const { from: sender, server } = yield* readMail("smtps://posts%40publisher.example:p%40ss%2Fw:rd@mail.example")
      assert.strictEqual(server.login?.user, "posts@publisher.example")
      assert.strictEqual(server.login && Redacted.value(server.login.password), "p@ss/w:rd")
      assert.deepStrictEqual(sender, { name: "Social Publisher", address: "posts@publisher.example" })
      const plain = yield* readMail("smtps://mail.example", "posts@publisher.example")
      assert.deepStrictEqual(plain.from, { name: "", address: "posts@publisher.example" })
    })
  )

  it.effect.each([
    "https://user:canary@mail.example",
    "smtps://user@mail.example",
    "smtps://:canary@mail.example",
    "smtps://user:canary%@mail.example",
    "smtps://user:canary@mail.example/path",
    "smtps://user:canary@mail.example?pool=true",
    "smtps://user:canary@mail.example:99999",
    "smtps://",
    "mail.example:465"
  ])("What is no URL of a server stops the start, and the line shows no password: %s", (url) =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(read({ SMTP_URL: url, MAIL_FROM: from }))
      assert.match(message, /^SMTP_URL: .*smtps:\/\/user:password@host:465/)
      assert.notInclude(message, "canary")
      assert.notInclude(message, "\n")
    })
  )

  it.effect.each([
    "posts",
    "a@b@c",
    "Posts <posts>",
    "Posts <a@b.example> and more",
    "a@b.example, c@d.example",
    '"A"B" <a@b.example>'
  ])("What is no sender stops the start: %s", (sender) =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(read({ SMTP_URL: "smtps://mail.example", MAIL_FROM: sender }))
      assert.match(message, /^MAIL_FROM: .*Social Publisher <posts@example\.com>/)
    })
  )
})

describe("ENABLE_PLATFORMS", () => {
  /** A platform in review that has an adapter, as another folder would register it. */
  const pond = { ...liveFacts.twitter, name: "Pond", ownApplication: ["POND_CLIENT_ID", "POND_CLIENT_SECRET"] }
  const readWithPond = (env: Readonly<Record<string, string>>) =>
    makeConfiguration({ ...liveFacts, pond }).pipe(withEnvironment(env))

  it.effect.each([
    {},
    { ENABLE_PLATFORMS: "" },
    { ENABLE_PLATFORMS: " , " },
    { ENABLE_PLATFORMS: "twitter" },
    { ENABLE_PLATFORMS: "bluesky,twitter,bluesky" }
  ] satisfies Array<Readonly<Record<string, string>>>)(
    "%j enables the platforms that are live in every service",
    (env) =>
      Effect.gen(function* () {
        assert.deepStrictEqual((yield* read(env)).enabled, ["twitter", "bluesky"])
        assert.deepStrictEqual((yield* readWithPond(env)).enabled, ["twitter", "bluesky"])
      })
  )

  it.effect("A platform with two possible applications starts with either, and names both if it has none", () =>
    Effect.gen(function* () {
      const live = { PLATFORMS: "live", ENABLE_PLATFORMS: "instagram" }
      const meta = { FACEBOOK_CLIENT_ID: "1", FACEBOOK_CLIENT_SECRET: "a" }
      assert.hasAllKeys((yield* read({ ...live, ...meta })).applications, Object.keys(meta))
      const own = { INSTAGRAM_CLIENT_ID: "2", INSTAGRAM_CLIENT_SECRET: "b" }
      assert.containsAllKeys((yield* read({ ...live, ...own })).applications, Object.keys(own))
      const { message } = yield* Effect.flip(read(live))
      assert.strictEqual(
        message,
        "INSTAGRAM_CLIENT_ID and INSTAGRAM_CLIENT_SECRET: required if ENABLE_PLATFORMS names instagram and PLATFORMS is live. In place of its own, instagram takes FACEBOOK_CLIENT_ID and FACEBOOK_CLIENT_SECRET"
      )
      // A part of one application is not completed by the other.
      const { message: partial } = yield* Effect.flip(read({ ...live, ...meta, INSTAGRAM_CLIENT_ID: "2" }))
      assert.match(partial, /^INSTAGRAM_CLIENT_SECRET: required/)
      const { message: other } = yield* Effect.flip(read({ ...live, FACEBOOK_CLIENT_ID: "1" }))
      assert.match(other, /^FACEBOOK_CLIENT_SECRET: required/)
    })
  )

  it.effect.each([
    ["mastodon", "mastodon is not a platform"],
    ["X,youtube,nope", "X and nope are not platforms"]
  ] as const)("%j stops the start, with each name that is impossible", ([names, wrong]) =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(read({ ENABLE_PLATFORMS: names }))
      const live = "twitter and bluesky are live without it"
      const possible = livePlatforms.filter((platform) => !isAlwaysLive(platform))
      assert.strictEqual(message, `ENABLE_PLATFORMS: ${wrong}. Possible: ${inSentence(possible)}; ${live}`)
      const other = yield* Effect.flip(readWithPond({ ENABLE_PLATFORMS: `pond,${names}` }))
      assert.strictEqual(
        other.message,
        `ENABLE_PLATFORMS: ${wrong}. Possible: ${inSentence([...possible, "pond"])}; ${live}`
      )
    })
  )

  it.effect("A platform with an adapter is enabled with the operator's own application", () =>
    Effect.gen(function* () {
      const { applications, enabled } = yield* readWithPond({
        PLATFORMS: "live",
        ENABLE_PLATFORMS: "pond",
        POND_CLIENT_ID: "posts",
        POND_CLIENT_SECRET: "water"
      })
      assert.deepStrictEqual(enabled, ["twitter", "bluesky", "pond"])
      const values = Object.entries(applications).map(([name, value]) => [name, Redacted.value(value)])
      assert.deepStrictEqual(values, [
        ["POND_CLIENT_ID", "posts"],
        ["POND_CLIENT_SECRET", "water"]
      ])
    })
  )

  it.effect.each<[Readonly<Record<string, string>>, string]>([
    [{}, "POND_CLIENT_ID and POND_CLIENT_SECRET"],
    [{ POND_CLIENT_ID: "posts" }, "POND_CLIENT_SECRET"]
  ])("An application that is incomplete stops the start: %j", ([given, missing]) =>
    Effect.gen(function* () {
      const live = { PLATFORMS: "live", ENABLE_PLATFORMS: "pond", ...given }
      const { message } = yield* Effect.flip(readWithPond(live))
      assert.strictEqual(message, `${missing}: required if ENABLE_PLATFORMS names pond and PLATFORMS is live`)
    })
  )

  it.effect("A sandbox needs no application, and a platform that is not named needs none either", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* readWithPond({ ENABLE_PLATFORMS: "pond" })).enabled, [
        "twitter",
        "bluesky",
        "pond"
      ])
      assert.deepStrictEqual((yield* readWithPond({ PLATFORMS: "live" })).enabled, ["twitter", "bluesky"])
    })
  )
})

describe("the connection of an agent", () => {
  const readConnection = (url: string, key = "sps_secret") =>
    Effect.provideService(
      agentConnection,
      ConfigProvider.ConfigProvider,
      ConfigProvider.fromUnknown({ SOCIAL_PUBLISHER_URL: url, SOCIAL_PUBLISHER_KEY: key })
    )

  it.effect("The address is taken with and without the path of the tools, and over plain HTTP on this machine", () =>
    Effect.gen(function* () {
      for (const [given, url] of [
        ["https://posts.example", "https://posts.example"],
        ["https://posts.example/mcp", "https://posts.example"],
        ["https://posts.example/below/mcp//", "https://posts.example/below"],
        ["https://posts.example/my-mcp", "https://posts.example/my-mcp"],
        ["http://localhost:3000/", "http://localhost:3000"],
        ["http://posts.localhost", "http://posts.localhost"],
        ["http://127.1.2.3:3000", "http://127.1.2.3:3000"],
        ["http://[::1]:3000", "http://[::1]:3000"]
      ] as const) {
        const connection = yield* readConnection(given)
        assert.strictEqual(connection.url, url)
        assert.strictEqual(Redacted.value(connection.key), "sps_secret")
      }
    })
  )

  it.effect("An address that would show the key on the way, or is none, stops the start with what it has to be", () =>
    Effect.gen(function* () {
      for (const [url, said] of [
        ["http://posts.example", /has to begin with https:.* only for this machine$/],
        ["HTTP://10.0.0.1:3000", /has to begin with https:/],
        ["http://127.0.0.1.example", /has to begin with https:/],
        ["http://localhost@posts.example", /has to begin with https:/],
        ["https://ada:sps_secret@posts.example", /can't have a user or a password$/],
        ["https://posts.example/?key=sps_secret", /can't have a query or a fragment$/],
        ["posts.example", /such as https:/],
        ["ftp://posts.example", /such as https:/],
        ["https://posts.example\n", /such as https:/]
      ] as const) {
        const { message } = yield* Effect.flip(readConnection(url))
        assert.match(message, /^SOCIAL_PUBLISHER_URL: /)
        assert.match(message, said)
        assert.notInclude(message, "sps_secret")
      }
    })
  )

  it.effect("A key that no header can have stops the start, and is not repeated", () =>
    Effect.gen(function* () {
      for (const key of ["sps_secret\n", "sps_secret sps_other", "Bearer sps_secret", "sps_sécret"]) {
        const { message } = yield* Effect.flip(readConnection("https://posts.example", key))
        assert.strictEqual(
          message,
          "SOCIAL_PUBLISHER_KEY: It has to be the API key alone, without spaces or line breaks"
        )
      }
    })
  )
})
