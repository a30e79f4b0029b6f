import { DateTime, Duration } from "effect"
import { html } from "../../../domain/html.ts"
import { markEntities } from "../../../sandbox/pages/entities.ts"
import type { StandIn, StandInMemory } from "../../../sandbox/StandIn.ts"
import { handleOf } from "../../../sandbox/state/names.ts"
import * as limits from "../limits.ts"
import { threads as ownSettings } from "../settings.ts"
import { requestedScopes } from "../scopes.ts"
import { tokens } from "../tokens.ts"
import { accountIdOf, keyOf, mediaIdOf } from "../../meta/standIn/ids.ts"
import { metaErrorFormat } from "../../meta/standIn/responses.ts"
import { makeTokenEndpoints, sandboxApplication } from "../../meta/standIn/tokenEndpoints.ts"
import { threadsPosts } from "./posts.ts"

const { accessDays, renewalHours } = limits
const accessLifetime = Duration.toMillis(Duration.days(accessDays))

const endpointTokens = {
  root: "/threads",
  grants: { exchange: "th_exchange_token", renewal: "th_refresh_token" },
  renewalHours,
  accessDays,
  scopes: { path: "/v1.0/debug_token", granted: requestedScopes },
  shortAnswer: (short: object) => short
} as const

export const threadsTokens = (memory: StandInMemory) => makeTokenEndpoints(memory, endpointTokens)

const { accounts_you_follow, followers_only, mentioned_only } = ownSettings.reply_control.choices

export const threadsStandIn: StandIn = {
  platform: "threads",
  account: (seed) => ({ id: accountIdOf(seed, "26"), username: handleOf(seed) }),
  credentials: ({ access, at }) => tokens.encodeTokens({ accessToken: access, obtainedAt: DateTime.makeUnsafe(at) }),
  renewal: { accessLifetime, lifetime: accessLifetime, reusableFor: Duration.toMillis(Duration.days(365)) },
  errorFormat: metaErrorFormat,
  endpoints: (memory) => [...threadsPosts(memory), ...threadsTokens(memory)],
  postPath: ({ id, username }) => `/@${username}/post/${id}`,
  identity: ({ id }) => mediaIdOf(id),
  text: ({ text }) => markEntities(text),
  replyNotes: {
    accounts_you_follow: `${accounts_you_follow} can reply`,
    mentioned_only: `${mentioned_only} can reply`,
    followers_only: `${followers_only} can reply`
  },
  consent: {
    path: "/oauth/authorize",
    clientId: sandboxApplication.clientId,
    allows: html`It could read the account's posts, publish and delete posts, and reply from it.`
  },
  hint: html`Threads asks for no password: the page for its consent has a button.`,
  example: ({ number, settings }) => {
    const replies = settings?.threads?.reply_control ?? "everyone"
    return { id: keyOf(`example ${number}`), replySettings: replies === "everyone" ? null : replies }
  }
}
