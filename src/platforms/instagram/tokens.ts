import { Option, Schema } from "effect"
import { readResponse } from "../call.ts"
import { makeTokens } from "../meta/tokens.ts"
import { Token } from "../syntax.ts"
import { instagram } from "./facts.ts"
import * as limits from "./limits.ts"

export const requestedScopes = ["instagram_business_basic", "instagram_business_content_publish"]

const Short = Schema.Struct({ access_token: Token })
const readAlone = readResponse(Short)
const readListed = readResponse(Schema.Struct({ data: Schema.Tuple([Short]) }))

export const tokens = makeTokens({
  name: instagram.name,
  secretVariable: "INSTAGRAM_CLIENT_SECRET",
  grants: { exchange: "ig_exchange_token", renewal: "ig_refresh_token" },
  renewalHours: limits.renewalHours,
  accessDays: limits.accessDays,
  // Meta's pages show both forms.
  readShort: (response) =>
    Option.orElse(readAlone(response), () => Option.map(readListed(response), ({ data: [only] }) => only))
})
