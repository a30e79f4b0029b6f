import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Result } from "effect"
import { Headers, type HttpClientRequest } from "effect/http"
import { makeBlueskyAdapter } from "../../src/platforms/bluesky/adapter.ts"
import { encodeSession } from "../../src/platforms/bluesky/session.ts"
import type { Answer, Call, DirectCall, PlatformResponse } from "../../src/platforms/call.ts"
import { noFiles } from "../../src/platforms/MediaFiles.ts"
import type { Account, PlatformAdapter } from "../../src/platforms/PlatformClient.ts"
import { makeTwitterAdapter } from "../../src/platforms/twitter/adapter.ts"
import { encodeTokens } from "../../src/platforms/twitter/tokens.ts"
import { IntegrationId, TargetId } from "../../src/domain/ids.ts"

const responses = {
  twitter: { status: 201, headers: Headers.empty, body: JSON.stringify({ data: { id: "7" } }) },
  bluesky: {
    status: 200,
    headers: Headers.empty,
    body: JSON.stringify({ uri: "at://did:plc:team/app.bsky.feed.post/7", cid: "a" })
  }
} satisfies Record<string, PlatformResponse>

const session = { accessJwt: "token", refreshJwt: "other token", pdsUrl: null }

const stored = {
  twitter: encodeTokens({ accessToken: "token", refreshToken: null }),
  bluesky: encodeSession(session)
}

/** An adapter whose platform takes every post, with the requests that it makes in either way. */
const makeWorld = (platform: "twitter" | "bluesky") => {
  const calls: Array<HttpClientRequest.HttpClientRequest> = []
  const direct: Array<HttpClientRequest.HttpClientRequest> = []
  const call: Call = (request) => {
    calls.push(request)
    return Effect.succeed(responses[platform])
  }
  const directCall: DirectCall = (request, _, done) => {
    direct.push(request)
    done(Result.succeed(responses[platform]))
    return () => {}
  }
  const adapter: PlatformAdapter =
    platform === "twitter"
      ? makeTwitterAdapter(
          { apiUrl: "https://x.test", webUrl: "https://x.test", clientId: "client", clientSecret: null },
          call,
          directCall
        )
      : makeBlueskyAdapter(
          { defaultServiceUrl: "https://pds.test", webUrl: "https://bsky.test" },
          { configured: call, documented: (request) => call(request), direct: directCall }
        )
  const account: Account = {
    integrationId: IntegrationId.make("01a1fc17-0000-7000-8000-000000000003"),
    accountId: "did:plc:team",
    username: "team",
    serviceUrl: null,
    credentials: { current: Effect.succeed(stored[platform]), refresh: () => Effect.die("Unexpected renewal") },
    files: noFiles,
    others: { published: () => Effect.succeed(new Set()), unresolved: () => Effect.succeed([]) }
  }
  const prepared = adapter.prepare(
    {
      targetId: TargetId.make("01a1fc17-0000-7000-8000-0000000a1b2c"),
      text: "Hello #you, see https://example.com",
      settings: { twitter: { who_can_reply: "following" } },
      language: "en"
    },
    account
  )
  return { account, adapter, calls, direct, prepared }
}

const both = it.effect.each(["twitter", "bluesky"] as const)

describe("A plain request", () => {
  both("is the request that a fiber of its own would send, and comes to the same publication: %s", (platform) =>
    Effect.gen(function* () {
      const { account, adapter, calls, direct, prepared } = makeWorld(platform)
      const post = yield* prepared
      const published = yield* adapter.publish(post, account)
      const came: Array<unknown> = []
      assert.isDefined(adapter.plain?.send(post, account, stored[platform], "agent", (sent) => void came.push(sent)))
      assert.deepStrictEqual(came, [Result.succeed(published)])
      const parts = ({ body, headers, method, url }: HttpClientRequest.HttpClientRequest) => ({
        method,
        url,
        headers: { ...headers },
        body: body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : undefined
      })
      assert.lengthOf(calls, 1)
      assert.deepStrictEqual(direct.map(parts), calls.map(parts))
    })
  )

  both(
    "is not sent with what was prepared for another account, or with credentials that can't be read: %s",
    (platform) =>
      Effect.gen(function* () {
        const { account, adapter, direct, prepared } = makeWorld(platform)
        const post = yield* prepared
        const done = (_: Result.Result<unknown, Answer>) => assert.fail("It was sent")
        const other = { ...account, accountId: "did:plc:other" }
        assert.isUndefined(adapter.plain?.send(post, other, stored[platform], "agent", done))
        assert.isUndefined(adapter.plain?.send(post, account, Redacted.make("{}"), "agent", done))
        assert.isUndefined(adapter.plain?.send({}, account, stored[platform], "agent", done))
        assert.isEmpty(direct)
      })
  )

  it.effect.each([
    ["a PDS of its own", { pdsUrl: "https://other.test" }],
    ["a service that was named over the API", { guarded: true }]
  ] as const)("is not sent to %s, which only a guarded connection may reach", ([, changes]) =>
    Effect.gen(function* () {
      const { account, adapter, calls, direct, prepared } = makeWorld("bluesky")
      const credentials = encodeSession({ ...session, ...changes })
      const done = (_: Result.Result<unknown, Answer>) => assert.fail("It was sent")
      assert.isUndefined(adapter.plain?.send(yield* prepared, account, credentials, "agent", done))
      assert.isEmpty([...calls, ...direct])
    })
  )

  it("is for no text of Bluesky with an @, which may be a mention that is looked up", () => {
    const { plain } = makeWorld("bluesky").adapter
    assert.isTrue(plain?.takes("Hello"))
    assert.isFalse(plain?.takes("Hello @team.test"))
  })
})
