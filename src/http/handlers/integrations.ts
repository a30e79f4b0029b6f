import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { Repo } from "../../repo/Repo.ts"
import { orProblem } from "../problems.ts"
import { asData, inWorkspace, refusePages } from "./shared.ts"

export const integrationsLayer = HttpApiBuilder.group(
  Api,
  "integrations",
  Effect.fn(function* (handlers) {
    const { integrations } = yield* Repo

    return handlers.handle("list", ({ query: { limit } }) =>
      inWorkspace((workspaceId) => integrations.list(workspaceId)).pipe(
        Effect.map((all) => all.slice(0, limit)),
        asData,
        orProblem,
        (list) => Effect.andThen(refusePages, list)
      )
    )
  })
)
