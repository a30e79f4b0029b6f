import { assert, layer } from "@effect/vitest"
import { Arbitrary, Effect, Layer } from "effect"
import { countFromEnv } from "../support/countFromEnv.ts"
import { repoLayer } from "../support/database/testDatabase.ts"
import { endpoints } from "../support/generated/generatedRequests.ts"
import { GeneratedWorld } from "../support/generated/generatedWorld.ts"
import { keepAliveAgent, sendRaw } from "../support/generated/rawRequest.ts"

// Starts early: it sends thousands of requests.

// Set SEED to any text for other requests, and REQUESTS to send more than 60 to each endpoint. A failure names the seed
// that reproduces it.
const seed = process.env["SEED"] ?? "a stranger"
const runs = countFromEnv("REQUESTS", 60)

/** Endpoints that need a media store or a platform log-in, which `GeneratedWorld` lacks. */
const beyond = /^\/v1\/(media(?!$)|integrations\/(bluesky|facebook|instagram|linkedin|threads|tiktok|twitter|youtube)$)/

const logsIn = ({ method, path }: (typeof endpoints)[number]) => method === "POST" && path === "/v1/session"

const requested = endpoints
  .filter(
    ({ method, path }) =>
      !beyond.test(path) &&
      !(method === "POST" && path === "/v1/media") &&
      // Hardly any generated text is an email address.
      !(method === "POST" && path === "/v1/invites")
  )
  // Log-ins come first: ten wrong passwords, also of other endpoints, block them for a minute.
  .toSorted((one, other) => Number(logsIn(other)) - Number(logsIn(one)))

/** True if an endpoint needs a record that this test doesn't create, or a rarely generated value. */
const hardlySucceeds = ({ path }: (typeof endpoints)[number]) =>
  // Blocked after ten wrong passwords, here or at log-in.
  path === "/v1/session/password" ||
  path === "/v1/queue/order" ||
  // The URL has to be of a chat program.
  path === "/v1/channels" ||
  // This service sends no mail.
  /^\/v1\/(?:password-resets|mail\/deliveries\/)/.test(path) ||
  /^\/v1\/(keys|members|invites|integrations|session\/sessions)\/.|\/(approve|reject|resolve)$/.test(path)

layer(Layer.provideMerge(GeneratedWorld.layer, repoLayer))("generated requests", (it) => {
  it.effect.each(requested)("Every generated request to $method $path gets a documented response", (endpoint) =>
    Effect.gen(function* () {
      const { url, checkResponse, makeDraft } = yield* GeneratedWorld
      const agent = yield* keepAliveAgent
      const counts = new Map<number, number>()

      const result = yield* Arbitrary.checkEffect(
        endpoint.requests,
        Effect.fnUntraced(function* (generated) {
          const draft = yield* makeDraft(endpoint, generated)
          const received = yield* sendRaw(url, agent, draft)
          const { operationId, complaint } = checkResponse(draft, received)
          if (operationId === endpoint.operationId) counts.set(received.status, (counts.get(received.status) ?? 0) + 1)
          return complaint === undefined ? true : yield* Effect.fail({ complaint, draft, received })
        }),
        { runs, seed, concurrency: 8 }
      )
      assert.isUndefined(Arbitrary.formatCheckFailure(result), `SEED="${seed}"`)
      // Without a success, every request might have been refused early.
      if (hardlySucceeds(endpoint)) return
      assert.isTrue(
        Array.from(counts.keys()).some((status) => status < 300),
        `no request to ${endpoint.path} succeeded`
      )
    })
  )
})
