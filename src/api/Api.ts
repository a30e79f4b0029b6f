import { HttpApi, OpenApi } from "effect/http-api"
import { Approvals } from "./posts/Approvals.ts"
import { Channels } from "./webhooks/Channels.ts"
import { Events } from "./webhooks/Events.ts"
import { Integrations } from "./accounts/Integrations.ts"
import { Media, MediaContent } from "./media/Media.ts"
import { Invites } from "./people/Invites.ts"
import { Keys } from "./people/Keys.ts"
import { Members } from "./people/Members.ts"
import { MeGroup } from "./people/Me.ts"
import { Notifications } from "./Notifications.ts"
import { completeDocument } from "./openapi/document.ts"
import { introduction } from "./openapi/introduction.ts"
import { OutlookGroup } from "./posts/Outlook.ts"
import { Platforms } from "./Platforms.ts"
import { bodyParseOptions } from "./posts/postBodies.ts"
import { PostGroups } from "./posts/PostGroups.ts"
import { Posts } from "./posts/Posts.ts"
import { Internal } from "./problems.ts"
import { MailGroup } from "./people/MailLog.ts"
import { PasswordResetGroup } from "./people/PasswordResets.ts"
import { ProfileGroup } from "./people/Profile.ts"
import { QueueGroup } from "./posts/Queue.ts"
import { Sessions } from "./people/Sessions.ts"
import { Webhooks } from "./webhooks/Webhooks.ts"

const contract = HttpApi.make("social-publisher")
  .add(
    Posts,
    PostGroups,
    Approvals,
    QueueGroup,
    OutlookGroup,
    Media,
    MediaContent,
    Integrations,
    Platforms,
    Notifications,
    Events,
    Webhooks,
    Channels,
    Sessions,
    ProfileGroup,
    MailGroup,
    MeGroup,
    PasswordResetGroup,
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

/** The HTTP contract, from which clients are derived. */
export class Api extends contract.annotate(OpenApi.Transform, completeDocument(contract)) {}
