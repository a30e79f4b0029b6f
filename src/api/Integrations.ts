import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Integration as DomainIntegration } from "../domain/integration.ts"
import { Authentication } from "./Authentication.ts"
import { Authorization } from "./Authorization.ts"
import { operation } from "./operation.ts"
import { RateLimit } from "./RateLimit.ts"

const Integration = DomainIntegration.annotate({ identifier: "Integration" })

const list = HttpApiEndpoint.get("list", "/", {
  success: Schema.Struct({ data: Schema.Array(Integration) }).annotate({ identifier: "IntegrationList" })
}).annotateMerge(
  operation({
    id: "listIntegrations",
    scope: "integrations:read",
    summary: "List integrations",
    description:
      "The accounts that the workspace has connected, newest first. One that is `needs_reconnect` has to be connected again before it can post."
  })
)

export class Integrations extends HttpApiGroup.make("integrations")
  .add(list)
  .middleware(Authorization)
  .middleware(RateLimit)
  .middleware(Authentication)
  .prefix("/v1/integrations")
  .annotateMerge(OpenApi.annotations({ title: "Integrations", description: "The accounts that posts can go to." })) {}
