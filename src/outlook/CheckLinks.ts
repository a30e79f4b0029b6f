import { Cache, Context, Duration, Effect, Exit, Layer } from "effect"
import { HttpClientRequest } from "effect/http"
import type { WorkspaceId } from "../domain/ids.ts"
import type { LinkAnswer } from "../domain/outlook/answers.ts"
import { makeWorkspaceTurns } from "../domain/workspaceTurns.ts"
import { Outbound } from "../outbound/Outbound.ts"

/** The time for a request, including redirects. */
const timeout = Duration.seconds(8)
const maxRedirects = 5

const turns = { total: 8, perWorkspace: 4 }

const capacity = 10_000
const timeToLive = { known: Duration.minutes(10), unchecked: Duration.minutes(1) }

/** Pages answer programs with these although they answer people: 999 is LinkedIn's. */
const withheld: ReadonlySet<number> = new Set([401, 403, 407, 429, 451, 999])

type CheckLink = (workspaceId: WorkspaceId, url: string) => Effect.Effect<LinkAnswer>

const answerOf = (status: number): LinkAnswer => {
  if (status < 400) return { _tag: "Answers" }
  return withheld.has(status)
    ? { _tag: "Withheld", status }
    : { _tag: "Broken", reason: `it answers with the status ${status}` }
}

const make = Effect.gen(function* () {
  const outbound = yield* Outbound
  const { inTurn } = makeWorkspaceTurns(turns)

  /** Reads nothing of the body. */
  const ask = (request: HttpClientRequest.HttpClientRequest) =>
    Effect.scoped(outbound.open({ request, timeout, maxBytes: Infinity, maxRedirects, http: true }))

  /** Some servers refuse HEAD, or answer it otherwise, so an error counts only if GET has it too. */
  const check = Effect.fn("CheckLinks.check")(
    function* (url: string) {
      const head = yield* Effect.option(ask(HttpClientRequest.head(url)))
      if (head._tag === "Some" && head.value.status < 400) return answerOf(head.value.status)
      return answerOf((yield* ask(HttpClientRequest.get(url))).status)
    },
    Effect.catch((error) =>
      Effect.succeed<LinkAnswer>(
        error._tag === "TooManyRedirects"
          ? { _tag: "Broken", reason: error.message }
          : { _tag: "Unchecked", reason: error.message }
      )
    )
  )

  const cache = yield* Cache.makeWith(check, {
    capacity,
    timeToLive: (exit) => {
      if (Exit.isFailure(exit)) return Duration.zero
      return exit.value._tag === "Unchecked" ? timeToLive.unchecked : timeToLive.known
    }
  })

  return (workspaceId: WorkspaceId, url: string) => inTurn(workspaceId)(Cache.get(cache, url))
})

/** Finds out if a link's page answers. Without this layer, every link counts as answered. */
export const CheckLinks = Context.Reference<CheckLink>("social-publisher/outlook/CheckLinks", {
  defaultValue: () => () => Effect.succeed({ _tag: "Answers" })
})

export const checkLinksLayer = Layer.effect(CheckLinks, make)
