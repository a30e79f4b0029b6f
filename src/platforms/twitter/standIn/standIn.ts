import { createHash } from "node:crypto"
import { Duration } from "effect"
import { html } from "../../../domain/html.ts"
import { markEntities } from "../../../sandbox/pages/entities.ts"
import type { StandIn } from "../../../sandbox/StandIn.ts"
import { handleOf } from "../../../sandbox/state/names.ts"
import type { TwitterAccess } from "../facts.ts"
import { encodeTokens, requestedScope } from "../tokens.ts"
import { twitterMedia } from "./mediaEndpoints.ts"
import { twitterPosts } from "./posts.ts"
import { twitterErrorFormat } from "./responses.ts"
import { sandboxApplication, twitterTokenEndpoint } from "./tokenEndpoint.ts"
import { tweetId } from "./tweet.ts"
import { makeUploads } from "./uploads.ts"

export const makeTwitterStandIn = (application: TwitterAccess): StandIn => ({
  platform: "twitter",
  account: (seed) => ({
    id: (createHash("sha256").update(`twitter ${seed}`).digest().readBigUInt64BE() >> 4n).toString(),
    username: handleOf(seed)
  }),
  credentials: ({ access, refresh }) =>
    encodeTokens({ accessToken: access, refreshToken: refresh, scope: requestedScope }),
  renewal: { lifetime: Duration.toMillis(Duration.days(180)), reusableFor: null },
  errorFormat: twitterErrorFormat,
  endpoints: (memory) => {
    const uploads = makeUploads(memory.files)
    return [
      ...twitterPosts(memory, uploads, application),
      ...twitterMedia(memory, uploads),
      ...twitterTokenEndpoint(memory)
    ]
  },
  postPath: ({ id, username }) => `/${username}/status/${id}`,
  identity: ({ id }) => id,
  text: ({ text }) => markEntities(text),
  replyNotes: {
    following: "Accounts they follow can reply",
    mentionedUsers: "Only mentioned accounts can reply",
    subscribers: "Subscribers can reply",
    verified: "Verified accounts can reply"
  },
  consent: {
    path: "/i/oauth2/authorize",
    clientId: sandboxApplication.clientId,
    allows: html`It could read the account's posts, and post text, images and videos from it.`
  },
  hint: html`X asks for no password: the page for its consent has a button.`,
  example: ({ at, number, settings }) => {
    const replies = settings?.twitter?.who_can_reply ?? "everyone"
    return { id: tweetId(at, number), replySettings: replies === "everyone" ? null : replies }
  }
})
