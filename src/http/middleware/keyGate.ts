import { Effect, Layer } from "effect"
import { HttpIncomingMessage, HttpServerRequest } from "effect/http"
import { CurrentCaller } from "../../api/Authentication.ts"
import { KeyGate } from "../KeyGate.ts"
import { FindCaller, makeRequireKey } from "./authentication.ts"
import { makeConsume } from "./rateLimit.ts"
import { readJsonText } from "./requestBody.ts"

/** Counts requests together with those of the API, under the same limit. */
export const keyGateLayer = (limit: number) =>
  Layer.effect(
    KeyGate,
    Effect.gen(function* () {
      const findCaller = yield* FindCaller
      const requireKey = yield* makeRequireKey
      const consume = yield* makeConsume(limit)

      return KeyGate.of({
        admit: Effect.fnUntraced(function* (request) {
          if (request.headers["authorization"] === undefined) return yield* requireKey(request)
          const caller = yield* findCaller(request)
          if (caller._tag === "Session") return yield* requireKey(request)
          yield* Effect.provideService(consume(Effect.void), CurrentCaller, caller)
          return caller.holder
        }),
        readText: (request, maxBytes) =>
          readJsonText.pipe(
            Effect.provideService(HttpServerRequest.HttpServerRequest, request),
            Effect.provideService(HttpIncomingMessage.MaxBodySize, maxBytes)
          )
      })
    })
  )
