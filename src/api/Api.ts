import { HttpApi, OpenApi } from "effect/http-api"
import { Approvals } from "./Approvals.ts"
import { Events } from "./Events.ts"
import { Integrations } from "./Integrations.ts"
import { Media, MediaContent } from "./Media.ts"
import { Invites } from "./Invites.ts"
import { Keys } from "./Keys.ts"
import { Members } from "./Members.ts"
import { MeGroup } from "./Me.ts"
import { Notifications } from "./Notifications.ts"
import { completeDocument } from "./openapi/document.ts"
import { introduction } from "./openapi/introduction.ts"
import { bodyParseOptions } from "./postBodies.ts"
import { PostGroups } from "./PostGroups.ts"
import { Posts } from "./Posts.ts"
import { Internal } from "./problems.ts"
import { Sessions } from "./Sessions.ts"
import { Webhooks } from "./Webhooks.ts"

const contract = HttpApi.make("social-publisher")
  .add(
    Posts,
    PostGroups,
    Approvals,
    Media,
    MediaContent,
    Integrations,
    Notifications,
    Events,
    Webhooks,
    Sessions,
    MeGroup,
    Keys,
    Members,
    Invites
  )
  .annotate(HttpApi.ParamsParseOptions, { errors: "all" })
  .annotate(HttpApi.QueryParseOptions, { errors: "all" })
  .annotate(HttpApi.PayloadParseOptions, bodyParseOptions)
  .annotate(HttpApi.AdditionalSchemas, [Internal])
  .annotateMerge(
    OpenApi.annotations({
      title: "Social publishing API",
      version: "1",
      description: introduction,
      license: { name: "Proprietary", identifier: "LicenseRef-Proprietary" }
    })
  )

/** The HTTP contract, which the server implements and clients are derived from. */
export class Api extends contract.annotate(OpenApi.Transform, completeDocument(contract)) {}
