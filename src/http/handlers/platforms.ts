import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { describePlatforms } from "../../domain/platformInfo.ts"
import { CurrentRules } from "../../platforms/rules.ts"

export const platformsLayer = HttpApiBuilder.group(
  Api,
  "platforms",
  Effect.fn(function* (handlers) {
    const data = describePlatforms(yield* CurrentRules)
    return handlers.handle("list", () => Effect.succeed({ data }))
  })
)
