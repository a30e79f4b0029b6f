import { Effect, Layer } from "effect"
import { FetchHttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient, HttpApiMiddleware } from "effect/http-api"
import { Api } from "../../../src/api/Api.ts"
import { Authentication } from "../../../src/api/Authentication.ts"

export const makeClient = (baseUrl: string, key: string) =>
  HttpApiClient.make(Api, { baseUrl }).pipe(
    Effect.provide(
      Layer.merge(
        FetchHttpClient.layer,
        HttpApiMiddleware.layerClient(Authentication, ({ request, next }) =>
          next(HttpClientRequest.bearerToken(request, key))
        )
      )
    )
  )
