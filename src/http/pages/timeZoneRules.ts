import { DateTime, Effect, Option } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { readZoneRules } from "../../domain/plain/timeZone.ts"

const maxName = 64
const from = Date.UTC(2000, 0, 1)
const until = Date.UTC(2060, 0, 1)

/** Names in other cases and most aliases share one entry, so that there are no more entries than zones. */
const rulesByZone = new Map<string, ReturnType<typeof readZoneRules>>()

const rulesOf = (zone: string) => {
  const rules = rulesByZone.get(zone) ?? readZoneRules(zone, from, until)
  rulesByZone.set(zone, rules)
  return rules
}

/**
 * Names begin with a letter; offsets such as `+05:30` are no zones. In lower case, because Effect caches each spelling
 * of a zone for good.
 */
const findZone = (name: string) =>
  name.length <= maxName && /^[A-Za-z]/.test(name) ? DateTime.zoneMakeNamed(name.toLowerCase()) : Option.none()

/**
 * The offsets of a zone by this program's rules. A browser may know older rules, and would store other instants than
 * people mean.
 */
export const timeZoneRulesLayer = HttpRouter.add(
  "GET",
  "/time-zones",
  Effect.map(HttpServerRequest.HttpServerRequest, ({ url }) => {
    const name = new URLSearchParams(url.split("?")[1] ?? "").get("name") ?? ""
    return Option.match(findZone(name), {
      onNone: () => HttpServerResponse.empty({ status: 404 }),
      onSome: ({ id }) =>
        HttpServerResponse.jsonUnsafe({ ...rulesOf(id), name }, { headers: { "cache-control": "no-cache" } })
    })
  })
)
