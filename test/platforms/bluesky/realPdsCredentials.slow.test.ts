import { assert, layer } from "@effect/vitest"
import { Cause, Effect, Layer, Option, Redacted, Schema } from "effect"
import { HttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { linkBluesky } from "./link.ts"
import { makeCall } from "../../../src/platforms/call.ts"
import { sendPost } from "../../../src/platforms/carryOut.ts"
import { cuts, type RelayedRequest } from "../cuttingRelay.ts"
import { expired, withClaims } from "../../support/pds/pds.ts"
import { storedRows, SearchableTelemetry, inspectFully } from "../../support/telemetry/searchableTelemetry.ts"
import { makeBlueskyAdapter } from "../../../src/platforms/bluesky/adapter.ts"
import { createSession, makeTeam, nextTarget, publishingWorld, putRecord, refreshSession } from "./pdsWorld.ts"
import { publishDue } from "../publishing.ts"
import { storedAccount } from "../world.ts"

const shardLength = 16
const stride = 8

/** Overlapping pieces of a secret: every longer part of it contains one. A token's header is not secret and is left out. */
const shards = (secret: string): ReadonlyArray<string> => {
  const parts = secret.split(".")
  return (parts.length === 3 ? parts.slice(1) : parts).flatMap((part) =>
    Array.from({ length: Math.max(1, Math.ceil((part.length - shardLength) / stride)) }, (_, index) =>
      part.slice(index * stride, index * stride + shardLength)
    )
  )
}

const decodeSession = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Struct({ accessJwt: Schema.String, refreshJwt: Schema.String }))
)

/** The tokens that the PDS issued. */
const tokensIn = (passed: ReadonlyArray<RelayedRequest>): ReadonlyArray<string> =>
  passed
    .map(({ response }) => decodeSession(response?.body.toString()))
    .flatMap(Option.toArray)
    .flatMap(({ accessJwt, refreshJwt }) => [accessJwt, refreshJwt])

const world = publishingWorld.pipe(Layer.provideMerge(SearchableTelemetry.layer))

const same = (token: string) => token
const broken = (token: string) => `${token.slice(0, -8)}AAAAAAAA`

layer(world)("The credentials of a Bluesky account", (it) => {
  it.effect("No log line, error, span or unencrypted column contains credentials, whatever goes wrong", () =>
    Effect.gen(function* () {
      const team = yield* makeTeam("canaries")
      const { account, adapter, connected, person, relay } = team
      const secrets = [Redacted.value(person.appPassword), person.password]
      const errors: Array<string> = []

      const plant = (name: string, change: (token: string) => string) => (token: string) => {
        const planted = change(withClaims(token, { canary: `A canary in the ${name} token` }))
        secrets.push(planted)
        return planted
      }
      const plantBoth = (access = same, refresh = same) =>
        team.changeStored({ accessJwt: plant("access", access), refreshJwt: plant("refresh", refresh) })
      const publish = Effect.fnUntraced(function* (content: string) {
        yield* team.schedule(content)
        yield* TestClock.adjust("1 minute")
        yield* publishDue
      })
      /** Expects a failure, and logs and serializes it as fully as possible. */
      const fails = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        effect.pipe(
          Effect.sandbox,
          Effect.flip,
          Effect.tap((cause) => Effect.logError("What a caller might log", cause, account, connected)),
          Effect.map((cause) => errors.push(Cause.pretty(cause), inspectFully(cause), JSON.stringify(cause)))
        )
      const login = (password: Redacted.Redacted) =>
        fails(linkBluesky({ service: relay.url, identifier: person.handle, password }))

      for (const cut of cuts) {
        yield* plantBoth()
        yield* relay.cutNext(putRecord, cut)
        yield* publish(`Cut off ${cut}`)
        yield* plantBoth(expired)
        yield* relay.cutNext(refreshSession, cut)
        yield* publish(`Renewed, but cut off ${cut}`)
        yield* relay.cutNext(createSession, cut)
        yield* login(person.appPassword)
      }
      yield* plantBoth(broken)
      yield* publish("Renewed, because the PDS can't verify the token")
      yield* login(Redacted.make(`${person.password}, and more`))
      const mistaken = makeCall(
        HttpClient.make((request) => Effect.die(new Error("A mistake", { cause: request }))),
        "Bluesky"
      )
      const failing = makeBlueskyAdapter(
        { defaultServiceUrl: relay.url, webUrl: "" },
        { configured: mistaken, guarded: mistaken }
      )
      const stored = yield* storedAccount({ ...connected, credentials: yield* plantBoth() })
      yield* fails(
        sendPost(
          failing,
          yield* adapter.prepare({ targetId: nextTarget(), text: "Hello", settings: {} }, account),
          stored.account
        )
      )
      yield* plantBoth(expired, broken)
      yield* publish("Not renewed, because the PDS can't verify that token either")
      yield* plantBoth(expired)
      yield* Effect.promise(() => person.agent.com.atproto.server.revokeAppPassword({ name: person.appPasswordName }))
      yield* publish("Not renewed, because the app password was revoked")
      const passed = yield* relay.passed
      secrets.push(...tokensIn(passed))

      const pieces = [...new Set(secrets.flatMap(shards))]
      const found = (texts: ReadonlyArray<string>) => {
        const text = texts.join("\n")
        return pieces.filter((piece) => text.includes(piece))
      }
      const telemetry = yield* SearchableTelemetry
      const places = { logs: yield* telemetry.logs, errors, spans: yield* telemetry.spans, rows: yield* storedRows }
      for (const [place, texts] of Object.entries(places)) assert.deepStrictEqual(found(texts), [], place)

      // The places are not empty, so a leak would have been found.
      assert.isAbove(found(passed.map(({ response }) => response?.body.toString() ?? "")).length, 20)
      assert.include(places.logs.join("\n"), "needs_reconnect")
      assert.include(places.errors.join("\n"), "Bluesky does not accept this handle with this app password")
      assert.include(places.spans.join("\n"), putRecord)
      assert.include(places.rows.join("\n"), "connect the account again")
      assert.include(places.rows.join("\n"), '"credentials": "\\\\x')
    })
  )
})
