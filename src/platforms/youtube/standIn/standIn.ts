import { createHash } from "node:crypto"
import { Duration } from "effect"
import { html } from "../../../domain/html.ts"
import { markEntities } from "../../../sandbox/pages/entities.ts"
import type { StandIn } from "../../../sandbox/StandIn.ts"
import { handleOf } from "../../../sandbox/state/names.ts"
import { encodeTokens, requestedScopes } from "../tokens.ts"
import { youtubePosts } from "./posts.ts"
import { youtubeErrorFormat } from "./responses.ts"
import { accessLifetime, sandboxApplication } from "./tokenEndpoints.ts"
import { videoIdOf } from "./uploads.ts"

/** Refresh tokens end if they are not used for half a year. */
const lifetime = Duration.toMillis(Duration.days(180))

export const youtubeStandIn: StandIn = {
  platform: "youtube",
  account: (seed) => ({
    id: `UC${createHash("sha256").update(`channel ${seed}`).digest("base64url").slice(0, 22)}`,
    username: handleOf(seed)
  }),
  credentials: ({ access, refresh }) =>
    encodeTokens({ accessToken: access, refreshToken: refresh, scope: requestedScopes.join(" ") }),
  renewal: { accessLifetime, lifetime, reusableFor: lifetime },
  errorFormat: youtubeErrorFormat,
  endpoints: (memory) => youtubePosts(memory),
  postPath: ({ id }) => `/watch?v=${id}`,
  identity: ({ id }) => id,
  text: ({ text }) => markEntities(text),
  replyNotes: { private: "Only the channel sees it", unlisted: "Everyone with the link sees it" },
  consent: {
    path: "/oauth2/v2/auth",
    clientId: sandboxApplication.clientId,
    allows: html`It could upload videos to the channel, change and delete them, and read the channel.`
  },
  hint: html`YouTube asks for no password: the page for Google’s consent has a button.`,
  dot: { light: "#d90000", dark: "#ff6b6b" },
  example: ({ number }) => ({ id: videoIdOf(`example ${number}`) })
}
