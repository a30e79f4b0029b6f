import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { IntegrationId } from "../../domain/ids.ts"
import { integrationId } from "../../domain/samples.ts"
import { AnotherAccountConnected, NeedsReconnect, OutcomePending, PlatformUnavailable } from "./accountProblems.ts"
import { Authentication } from "../Authentication.ts"
import { Authorization } from "../Authorization.ts"
import { CheckedInput, JsonBody } from "../input.ts"
import {
  ConnectBluesky,
  ConnectFacebook,
  ConnectLinkedin,
  ConnectInstagram,
  ConnectThreads,
  ConnectTiktok,
  ConnectTwitter,
  ConnectYoutube,
  ConsentAuthorization,
  DecideAccountChange,
  DecidedAccountChange,
  DisconnectedIntegration,
  FacebookAuthorization,
  IntegrationList,
  LinkedinAuthorization,
  OneIntegration,
  OneIntegrationDetails,
  OnePostingOptions,
  InstagramAuthorization,
  ThreadsAuthorization,
  TiktokAuthorization,
  YoutubeAuthorization
} from "./integrationBodies.ts"
import { operation } from "../operation.ts"
import { limitParameter } from "../pagination.ts"
import { shown } from "../problems.ts"
import { RateLimit } from "../RateLimit.ts"

const reading = "integrations:read"
const writing = "integrations:write"

const params = {
  id: IntegrationId.annotateKey({ description: "The account's id.", examples: [IntegrationId.make(integrationId)] })
}

const limit = limitParameter("accounts", 1000)

const list = HttpApiEndpoint.get("list", "/", { query: { limit }, success: IntegrationList })
  .annotateMerge(
    operation({
      id: "listIntegrations",
      scope: reading,
      summary: "List integrations",
      description:
        "Lists the accounts that the workspace has connected, newest first. An account with the status `needs_reconnect` can't publish until it is connected again."
    })
  )
  .middleware(CheckedInput)

const get = HttpApiEndpoint.get("get", "/:id", {
  params,
  success: OneIntegrationDetails,
  error: shown.NotFound
})
  .annotateMerge(
    operation({
      id: "getIntegration",
      scope: reading,
      summary: "Get an integration",
      description: "Returns a connected account, with the number of posts that wait for it and when it last published."
    })
  )
  .middleware(CheckedInput)

const postingOptions = HttpApiEndpoint.get("postingOptions", "/:id/posting-options", {
  params,
  success: OnePostingOptions,
  error: [shown.NotFound, NeedsReconnect, PlatformUnavailable]
})
  .annotateMerge(
    operation({
      id: "getPostingOptions",
      scope: reading,
      summary: "Get an account's posting options",
      description:
        "Asks the platform what the account may choose for a post at the moment, such as who can see a video. The answer is at most a minute old. " +
        "If all accounts of the platform have the same choices, `settings` is empty, and nothing is asked. " +
        "The options can change until a post is sent: a post with another choice then fails, and nothing is published."
    })
  )
  .middleware(CheckedInput)

const avatar = HttpApiEndpoint.get("avatar", "/:id/avatar", {
  params,
  success: HttpApiSchema.StreamUint8Array({ contentType: "application/octet-stream" }),
  error: shown.NotFound
})
  .annotateMerge(
    operation({
      id: "getIntegrationAvatar",
      scope: reading,
      summary: "Download an account's picture",
      description:
        "Returns the service's own copy of the picture, a WebP of up to 128 pixels, so that a browser contacts no other host. It is fetched within minutes of connecting; until then, and if the account has no picture, the response is a 404. Takes `If-None-Match` with the `ETag`."
    })
  )
  .middleware(CheckedInput)

const connectBluesky = HttpApiEndpoint.post("connectBluesky", "/bluesky", {
  payload: ConnectBluesky,
  success: HttpApiSchema.WithHeaders(OneIntegration.pipe(HttpApiSchema.status(201)), { location: Schema.String }),
  error: [shown.NotFound, AnotherAccountConnected, PlatformUnavailable]
})
  .annotateMerge(
    operation({
      id: "connectBluesky",
      scope: writing,
      summary: "Connect a Bluesky account",
      description:
        "Logs in with an app password and connects the account. An account that is connected already, or was before it was disconnected, " +
        "gets fresh access and keeps its id and its posts; that is a 201 as well. " +
        "For another account the response is a 409, and nothing changes until a person decides. A workspace and a client's address each have ten failed log-ins a minute. " +
        "Takes no `Idempotency-Key`: repeating the request changes nothing more."
    })
  )
  .middleware(CheckedInput)
  .middleware(JsonBody)

const connectTwitter = HttpApiEndpoint.post("connectTwitter", "/twitter", {
  payload: ConnectTwitter,
  success: ConsentAuthorization.pipe(HttpApiSchema.status(201)),
  error: [shown.NotFound, PlatformUnavailable]
})
  .annotateMerge(
    operation({
      id: "connectTwitter",
      scope: writing,
      summary: "Connect an X account",
      description:
        "Begins connecting an X account, also one that is connected already and needs fresh access. X sends the person back to the service. " +
        "If a session began it, only the same session can complete it, and the browser goes on to `return_to` with `connected=twitter`, or with `error`: " +
        "`declined`, `canceled` (the person did not replace the connected account), `refused` (X did not accept it; begin again) or `unavailable` (X or the service; try again later). " +
        "If an API key began it, whoever opens the URL can complete it, and a page shows the result. " +
        "If the account is not the connected one, a page of the service asks what to do."
    })
  )
  .middleware(CheckedInput)
  .middleware(JsonBody)

const connectFacebook = HttpApiEndpoint.post("connectFacebook", "/facebook", {
  payload: ConnectFacebook,
  success: FacebookAuthorization.pipe(HttpApiSchema.status(201)),
  error: [shown.NotFound, PlatformUnavailable]
})
  .annotateMerge(
    operation({
      id: "connectFacebook",
      scope: writing,
      summary: "Connect a Facebook Page",
      description:
        "Begins connecting a Facebook Page, if the service's operator has enabled Facebook; otherwise the response is a 404. Facebook asks the person for permissions and Pages, and sends them back to the service; the rest is as for X. " +
        "If the person chose several Pages, a page of the service asks which one the workspace gets. Only the session that began the connection can choose, within 15 minutes and once; if an API key began it, whoever opened the URL can. " +
        "Facebook has no way to end the access to one Page from here: disconnecting deletes the credentials, and the person can remove the application in Facebook's settings under Business integrations."
    })
  )
  .middleware(CheckedInput)
  .middleware(JsonBody)

const connectTiktok = HttpApiEndpoint.post("connectTiktok", "/tiktok", {
  payload: ConnectTiktok,
  success: TiktokAuthorization.pipe(HttpApiSchema.status(201)),
  error: [shown.NotFound, PlatformUnavailable]
})
  .annotateMerge(
    operation({
      id: "connectTiktok",
      scope: writing,
      summary: "Connect a TikTok account",
      description:
        "Begins connecting a TikTok account, like an X account, if the service's operator has enabled TikTok; otherwise the response is a 404. The person has to allow everything that the page asks for. " +
        "Disconnecting ends all access that the account gave to the service."
    })
  )
  .middleware(CheckedInput)
  .middleware(JsonBody)

const connectLinkedin = HttpApiEndpoint.post("connectLinkedin", "/linkedin", {
  payload: ConnectLinkedin,
  success: LinkedinAuthorization.pipe(HttpApiSchema.status(201)),
  error: [shown.NotFound, PlatformUnavailable]
})
  .annotateMerge(
    operation({
      id: "connectLinkedin",
      scope: writing,
      summary: "Connect a LinkedIn account",
      description:
        "Begins connecting a LinkedIn profile or page, if the service's operator has enabled LinkedIn; otherwise the response is a 404. LinkedIn sends the person back to the service, and the rest is as for X. " +
        "If the person gave access to several accounts, or the service has an application for pages, a page of the service asks which one the workspace gets: the profile, or one of the pages, for which LinkedIn asks once more. " +
        "Only the session that began the connection can choose, within 15 minutes and once; if an API key began it, whoever opened the URL can."
    })
  )
  .middleware(CheckedInput)
  .middleware(JsonBody)

const connectInstagram = HttpApiEndpoint.post("connectInstagram", "/instagram", {
  payload: ConnectInstagram,
  success: InstagramAuthorization.pipe(HttpApiSchema.status(201)),
  error: [shown.NotFound, PlatformUnavailable]
})
  .annotateMerge(
    operation({
      id: "connectInstagram",
      scope: writing,
      summary: "Connect an Instagram account",
      description:
        "Begins connecting an Instagram account for professionals (a business or a creator), like an X account, by Instagram Login. While Instagram is in platform review, the response is a 404. " +
        "Instagram has no way to end access from here: disconnecting deletes the credentials, and a person can remove the app in the settings of Instagram."
    })
  )
  .middleware(CheckedInput)
  .middleware(JsonBody)

const connectThreads = HttpApiEndpoint.post("connectThreads", "/threads", {
  payload: ConnectThreads,
  success: ThreadsAuthorization.pipe(HttpApiSchema.status(201)),
  error: [shown.NotFound, PlatformUnavailable]
})
  .annotateMerge(
    operation({
      id: "connectThreads",
      scope: writing,
      summary: "Connect a Threads account",
      description:
        "Begins connecting a Threads account, like an X account. While Threads is in platform review, the response is a 404. " +
        "Threads has no way to end access from here: disconnecting deletes the credentials, and a person can remove the app in the settings of Threads."
    })
  )
  .middleware(CheckedInput)
  .middleware(JsonBody)

const connectYoutube = HttpApiEndpoint.post("connectYoutube", "/youtube", {
  payload: ConnectYoutube,
  success: YoutubeAuthorization.pipe(HttpApiSchema.status(201)),
  error: [shown.NotFound, PlatformUnavailable]
})
  .annotateMerge(
    operation({
      id: "connectYoutube",
      scope: writing,
      summary: "Connect a YouTube channel",
      description:
        "Begins connecting a YouTube channel, if the service's operator has enabled YouTube; otherwise the response is a 404. Google asks the person for permissions and a channel, and sends them back to the service; the rest is as for X. " +
        "Google can only end the access to all channels of a person: disconnecting deletes the credentials, and a person can remove the app at myaccount.google.com/permissions."
    })
  )
  .middleware(CheckedInput)
  .middleware(JsonBody)

const decide = HttpApiEndpoint.post("decide", "/decision", {
  payload: DecideAccountChange,
  success: DecidedAccountChange,
  error: [shown.NotFound, AnotherAccountConnected, OutcomePending]
})
  .annotateMerge(
    operation({
      id: "decideAccountChange",
      scope: writing,
      summary: "Decide on another account",
      description:
        "Carries out, once, what a person decided about an account other than the connected one. A decision that fails can be sent again until the 15 minutes are over."
    })
  )
  .middleware(CheckedInput)
  .middleware(JsonBody)

const disconnect = HttpApiEndpoint.delete("disconnect", "/:id", {
  params,
  success: DisconnectedIntegration,
  error: shown.NotFound
})
  .annotateMerge(
    operation({
      id: "disconnectIntegration",
      scope: writing,
      summary: "Disconnect an account",
      description:
        "Deletes the account's credentials and ends the access at the platform, if it answers. Published posts stay as they are. " +
        "Scheduled posts fail at their times, unless the account is connected again before; read the account to see how many wait."
    })
  )
  .middleware(CheckedInput)

export class Integrations extends HttpApiGroup.make("integrations")
  .add(
    list,
    connectBluesky,
    connectFacebook,
    connectLinkedin,
    connectTwitter,
    connectInstagram,
    connectTiktok,
    connectThreads,
    connectYoutube,
    decide,
    get,
    postingOptions,
    avatar,
    disconnect
  )
  .middleware(Authorization)
  .middleware(RateLimit)
  .middleware(Authentication)
  .prefix("/v1/integrations")
  .annotateMerge(
    OpenApi.annotations({ title: "Integrations", description: "The accounts that posts are published to." })
  ) {}
