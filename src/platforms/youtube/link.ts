import { Effect, Option, type Redacted, Schema, Struct } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { type PlatformError, Rejected, Unavailable } from "../../domain/publishing/platformError.ts"
import { type Call, makeCall, type PlatformResponse, readResponse } from "../call.ts"
import type { AccountOffer, ConsentLink } from "../Link.ts"
import { failAt, orUnavailable } from "../outcome.ts"
import { displayName } from "../platformText.ts"
import { webAddress } from "../syntax.ts"
import { readFrom } from "./api.ts"
import type { YoutubeConfig } from "./config.ts"
import { problemOf, refusedIdly } from "./problem.ts"
import { ChannelId } from "./syntax.ts"
import { decodeTokens, encodeTokens, lackingIn, requestedScopes, tokensForCode } from "./tokens.ts"

const Channel = Schema.Struct({
  id: ChannelId,
  snippet: Schema.Struct({
    title: Schema.optionalKey(Schema.Unknown),
    customUrl: Schema.optionalKey(Schema.Unknown),
    thumbnails: Schema.optionalKey(Schema.Unknown)
  })
})
type Channel = typeof Channel.Type
const decodeChannel = Schema.decodeUnknownOption(Channel)

/** `items` is absent if there is no channel. */
const readChannels = readResponse(
  Schema.Struct({
    kind: Schema.Literal("youtube#channelListResponse"),
    items: Schema.optionalKey(Schema.Array(Schema.Unknown))
  })
)

const isHandle = Schema.is(Schema.String.check(Schema.isPattern(/^@?[\p{L}\p{N}_.·-]{3,100}$/u)))
const isPicture = Schema.is(Schema.Struct({ default: Schema.Struct({ url: Schema.String }) }))

const profileOf = ({ id, snippet: { customUrl, thumbnails, title } }: Channel) => ({
  accountId: id,
  username: isHandle(customUrl) ? customUrl.replace(/^@/, "") : id,
  displayName: displayName(title),
  avatarUrl: isPicture(thumbnails) ? webAddress(thumbnails.default.url) : null
})

const youtubeCall = Effect.map(HttpClient.HttpClient, (client) => makeCall(client, "YouTube"))

const unreadable = (response: PlatformResponse) =>
  failAt((now): PlatformError => {
    const error = refusedIdly(response, now)
    return problemOf(response) === undefined || error._tag === "Rejected"
      ? new Unavailable({ message: `YouTube did not name the channel (status ${response.status})` })
      : error
  })

const listChannels = Effect.fn("Youtube.listChannels")(function* (
  config: YoutubeConfig,
  call: Call,
  credentials: Redacted.Redacted
) {
  const { accessToken } = yield* decodeTokens(credentials)
  const request = readFrom(config, "/channels", { part: "id,snippet", mine: "true", maxResults: "50" })
  const response = yield* orUnavailable(call(HttpClientRequest.bearerToken(request, accessToken)))
  const read = response.status === 200 ? readChannels(response) : Option.none()
  if (Option.isNone(read)) return yield* unreadable(response)
  return (read.value.items ?? []).flatMap((item) => Option.toArray(decodeChannel(item))).map(profileOf)
})

/** Google's page lets the person choose among the channels of an account. */
export const makeYoutubeLink = (config: YoutubeConfig): ConsentLink => ({
  kind: "consent",
  hasApplication: config.clientId !== "",
  authorizeUrl: ({ challenge, redirectUri, state }) => {
    const query = new URLSearchParams({
      response_type: "code",
      client_id: config.clientId,
      redirect_uri: redirectUri,
      scope: requestedScopes.join(" "),
      state,
      code_challenge: challenge,
      code_challenge_method: "S256",
      // Without these, Google gives no refresh token, or none the second time.
      access_type: "offline",
      prompt: "consent"
    })
    return `${config.authorizeUrl}?${query.toString()}`
  },
  finish: Effect.fn("Youtube.finishLink")(function* (grant) {
    const call = yield* youtubeCall
    const tokens = yield* tokensForCode(config, call, grant)
    const lacking = lackingIn(tokens.scope)
    if (lacking.length > 0) {
      return yield* new Rejected({
        message: `Google did not get your permission for ${lacking.join(", ")}. Connect again, and tick everything that Google asks for`
      })
    }
    const credentials = encodeTokens(tokens)
    const channels = yield* listChannels(config, call, credentials)
    if (channels.length === 0) {
      return yield* new Rejected({
        message: "This Google account has no YouTube channel. Create one at youtube.com, and connect it again"
      })
    }
    return {
      accounts: channels.map((channel) => ({ ...channel, serviceUrl: null, credentials }))
    } satisfies AccountOffer
  }),
  profile: Effect.fn("Youtube.profile")(function* ({ accountId, credentials }) {
    const channels = yield* listChannels(config, yield* youtubeCall, credentials)
    const own = channels.find((channel) => channel.accountId === accountId)
    return own === undefined
      ? yield* new Unavailable({ message: "YouTube did not name this channel" })
      : Struct.omit(own, ["accountId"])
  }),
  // Google would end the access to all channels of the person, also to those of other workspaces. People can end it at
  // myaccount.google.com/permissions.
  revoke: () => Effect.void
})
