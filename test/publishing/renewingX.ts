import { type Duration, Effect, Layer, Schema } from "effect"
import { Headers, type HttpClientRequest } from "effect/http"
import { PlatformClient } from "../../src/platforms/PlatformClient.ts"
import { makeTwitterAdapter } from "../../src/platforms/twitter/adapter.ts"
import { encodeTokens } from "../../src/platforms/twitter/tokens.ts"
import { problem } from "./scriptedX.ts"

const bodyText = ({ body }: HttpClientRequest.HttpClientRequest) =>
  body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : ""

const decodePost = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({ text: Schema.String })))

/** X with one account, whose refresh tokens work once each. `delay` is how long the token endpoint takes. */
export const makeRenewingX = (delay: Duration.Input = 0) => {
  let issued = 1
  let isEnded = true
  const spent: Array<string> = []
  const texts: Array<string> = []
  const tokens = () => ({ accessToken: `access-${issued}`, refreshToken: `refresh-${issued}` })

  const answer = (request: HttpClientRequest.HttpClientRequest) => {
    const respond = (status: number, body: string) => ({ status, headers: Headers.empty, body })
    if (request.url.endsWith("/oauth2/token")) {
      const token = new URLSearchParams(bodyText(request)).get("refresh_token") ?? ""
      spent.push(token)
      if (token !== tokens().refreshToken) return respond(400, JSON.stringify({ error: "invalid_grant" }))
      issued++
      isEnded = false
      const { accessToken, refreshToken } = tokens()
      return respond(200, JSON.stringify({ access_token: accessToken, refresh_token: refreshToken, expires_in: 7200 }))
    }
    const isCurrent = request.headers["authorization"] === `Bearer ${tokens().accessToken}`
    if (isEnded || !isCurrent) return respond(401, problem(401, "Unauthorized"))
    const { text } = decodePost(bodyText(request))
    texts.push(text)
    return respond(201, JSON.stringify({ data: { id: String(1000 + texts.length), text } }))
  }

  const adapter = makeTwitterAdapter(
    { apiUrl: "https://x.test", webUrl: "https://x.test", clientId: "client", clientSecret: null },
    (request) =>
      Effect.delay(
        Effect.sync(() => answer(request)),
        request.url.endsWith("/oauth2/token") ? delay : 0
      )
  )
  return {
    layer: Layer.succeed(PlatformClient, { twitter: adapter, bluesky: adapter }),
    /** The credentials that X takes for a renewal, and once renewed for a post. */
    credentials: () => encodeTokens(tokens()),
    endAccess: () => {
      isEnded = true
    },
    /** The refresh tokens that were used, in their order. */
    spent,
    /** The published texts. */
    texts
  }
}
