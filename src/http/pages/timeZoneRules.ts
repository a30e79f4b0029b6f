import { Cache, Effect, Layer, Option } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { zoneRuleSteps } from "../../domain/plain/timeZone.ts"
import { runSteps } from "../../domain/steps.ts"
import { findTimeZone } from "../../domain/timeZoneName.ts"

/** Posts lie at most 180 days ahead. Browsers use their own rules for the years before and after. */
const from = Date.UTC(2020, 0, 1)
const until = Date.UTC(2040, 0, 1)

/** More than there are zones. Names in other cases and most aliases share one entry. */
const capacity = 1_000

/**
 * The offsets of a zone by this program's rules. A browser may know older rules, and would store other instants than
 * people mean.
 */
export const timeZoneRulesLayer = Layer.unwrap(
  Effect.gen(function* () {
    const rules = yield* Cache.make({ capacity, lookup: (zone: string) => runSteps(zoneRuleSteps(zone, from, until)) })
    return HttpRouter.add(
      "GET",
      "/time-zones",
      Effect.gen(function* () {
        const { url } = yield* HttpServerRequest.HttpServerRequest
        const name = new URLSearchParams(url.split("?")[1] ?? "").get("name") ?? ""
        const zone = findTimeZone(name)
        if (Option.isNone(zone)) return HttpServerResponse.empty({ status: 404 })
        const found = yield* Cache.get(rules, zone.value.id)
        return HttpServerResponse.jsonUnsafe({ ...found, name }, { headers: { "cache-control": "no-cache" } })
      })
    )
  })
)
