import { createHash } from "node:crypto"
import { Duration } from "effect"
import { html } from "../../../domain/html.ts"
import { markEntities } from "../../../sandbox/pages/entities.ts"
import type { StandIn } from "../../../sandbox/StandIn.ts"
import { handleOf } from "../../../sandbox/state/names.ts"
import * as limits from "../limits.ts"
import { encodeTokens, requestedScopes } from "../tokens.ts"
import { type Jobs, makeJobs } from "./jobs.ts"
import { tiktokPosts } from "./posts.ts"
import { tiktokErrorFormat } from "./responses.ts"
import { sandboxApplication, tiktokTokenEndpoints } from "./tokenEndpoints.ts"
import { type Pace, videoId } from "./uploads.ts"

/** `uploads` has the uploads of the stand-in, for whoever wants to look at them. */
export const makeTiktokStandIn = (pace: Pace, uploads?: Jobs): StandIn => ({
  platform: "tiktok",
  account: (seed) => ({
    id: `-000${createHash("sha256").update(`tiktok ${seed}`).digest("base64url").slice(0, 32)}`,
    username: handleOf(seed)
  }),
  credentials: ({ access, refresh }) =>
    encodeTokens({ accessToken: access, refreshToken: refresh, scopes: requestedScopes }),
  // A used refresh token has ended. Other access of the account has not.
  renewal: { lifetime: Duration.toMillis(Duration.days(limits.refreshDays)), reusableFor: 0 },
  errorFormat: tiktokErrorFormat,
  endpoints: (memory) => [...tiktokPosts(memory, pace, uploads ?? makeJobs()), ...tiktokTokenEndpoints(memory)],
  postPath: ({ id, username }) => `/@${username}/video/${id}`,
  identity: ({ id }) => id,
  text: ({ text }) => markEntities(text),
  replyNotes: {
    MUTUAL_FOLLOW_FRIENDS: "Friends can see it",
    SELF_ONLY: "Only the account can see it"
  },
  consent: {
    path: "/v2/auth/authorize",
    clientId: sandboxApplication.clientKey,
    usesPkce: false,
    allows: html`It could read the account's profile, and post videos from it.`
  },
  hint: html`TikTok asks for no password: the page for its consent has a button.`,
  dot: { light: "#161823", dark: "#25f4ee" },
  example: ({ at, number }) => ({ id: videoId(at, `e${number}`) })
})

export const tiktokStandIn = makeTiktokStandIn({ processing: 3_000, naming: 5_000 })
