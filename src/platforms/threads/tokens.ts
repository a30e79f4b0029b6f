import { makeTokens } from "../meta/tokens.ts"
import { threads } from "./facts.ts"
import * as limits from "./limits.ts"

export const tokens = makeTokens({
  name: threads.name,
  secretVariable: "THREADS_CLIENT_SECRET",
  grants: { exchange: "th_exchange_token", renewal: "th_refresh_token" },
  renewalHours: limits.renewalHours,
  accessDays: limits.accessDays
})
