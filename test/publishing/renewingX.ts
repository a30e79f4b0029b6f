import { Clock, type Duration, Effect, Layer, Redacted } from "effect"
import type { HttpClientRequest } from "effect/http"
import { PlatformClient } from "../../src/platforms/PlatformClient.ts"
import { makeTwitterAdapter } from "../../src/platforms/twitter/adapter.ts"
import { makeTwitterStandIn } from "../../src/platforms/twitter/standIn/standIn.ts"
import { sandboxApplication } from "../../src/platforms/twitter/standIn/tokenEndpoint.ts"
import type { Grant } from "../../src/sandbox/state/entry.ts"
import { answerNow, memoryStandIn } from "../support/platforms/memoryStandIn.ts"
import { perPlatform } from "../support/platforms/perPlatform.ts"

const { clientId, clientSecret } = sandboxApplication

/** X with one account, whose refresh tokens each work once. The token endpoint takes `delay`. */
export const makeRenewingX = (delay: Duration.Input = 0) => {
  const x = memoryStandIn(makeTwitterStandIn("self-serve"))
  let issued = 1
  const spent: Array<string> = []
  const tokens = () => ({ access: `access-${issued}`, refresh: `refresh-${issued}`, family: "family" })
  // The grant must not expire if a test uses the machine's clock.
  let grant: Grant = { ...x.grant("44", 0, tokens()), refreshUntil: Number.MAX_SAFE_INTEGER }
  const endAccess = () => x.apply([{ _tag: "AccessEnded", platform: "twitter" }])
  x.apply([grant])
  endAccess()

  const answer = (request: HttpClientRequest.HttpClientRequest) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const received = x.receive(request)
      const token = new URLSearchParams(received.read.body).get("refresh_token")
      if (token !== null) {
        spent.push(token)
        issued++
      }
      const { entries, response } = x.meet(received, { now, fresh: tokens() })
      x.apply(entries)
      grant = entries.find((entry) => entry._tag === "Grant") ?? grant
      return answerNow(response)
    })

  const adapter = makeTwitterAdapter(
    { apiUrl: "https://x.test", webUrl: "https://x.test", clientId, clientSecret: Redacted.make(clientSecret) },
    (request) => Effect.delay(answer(request), request.url.endsWith("/oauth2/token") ? delay : 0)
  )
  return {
    layer: Layer.succeed(
      PlatformClient,
      perPlatform(() => adapter)
    ),
    /** The credentials, which X accepts for a renewal and, once renewed, for a post. */
    credentials: () => x.credentials(grant),
    endAccess,
    /** The used refresh tokens, in order. */
    spent,
    /** The published texts. */
    texts: () => x.state.posts().map(({ text }) => text)
  }
}
