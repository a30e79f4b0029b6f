import { makeTokens } from "../meta/tokens.ts"
import { threads } from "./facts.ts"

/** Threads are chains of replies, which have scopes of their own. The last scope lets a trial delete its posts. */
export const requestedScopes = [
  "threads_basic",
  "threads_content_publish",
  "threads_manage_replies",
  "threads_read_replies",
  "threads_delete"
]

export const tokens = makeTokens({
  name: threads.name,
  secretVariable: "THREADS_CLIENT_SECRET",
  grants: { exchange: "th_exchange_token", renewal: "th_refresh_token" },
  renewalHours: threads.limits.renewalHours,
  accessDays: threads.limits.accessDays
})
