import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Integration, integrationExample } from "../domain/integration.ts"
import { Authentication } from "./Authentication.ts"
import { Authorization } from "./Authorization.ts"
import { examples } from "./examples.ts"
import { operation } from "./operation.ts"
import { CheckedInput } from "./input.ts"
import { wholeNumber } from "./pagination.ts"
import { RateLimit } from "./RateLimit.ts"

const IntegrationList = Schema.Struct({
  data: Schema.Array(Integration).annotateKey({ description: "The accounts." })
})
  .annotate({ identifier: "IntegrationList", description: "The connected accounts, newest first." })
  .pipe(examples({ list: { data: [integrationExample] } }))

const limit = wholeNumber({
  description: "The maximum number of accounts to return; all of them by default.",
  minimum: 1,
  maximum: 1000
})

const list = HttpApiEndpoint.get("list", "/", { query: { limit }, success: IntegrationList }).annotateMerge(
  operation({
    id: "listIntegrations",
    scope: "integrations:read",
    summary: "List integrations",
    description:
      "Lists the accounts that the workspace has connected, newest first. An account with the status `needs_reconnect` can't publish until it is connected again."
  })
)

export class Integrations extends HttpApiGroup.make("integrations")
  .add(list)
  .middleware(CheckedInput)
  .middleware(Authorization)
  .middleware(RateLimit)
  .middleware(Authentication)
  .prefix("/v1/integrations")
  .annotateMerge(
    OpenApi.annotations({ title: "Integrations", description: "The accounts that posts are published to." })
  ) {}
