import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { Repo } from "../../repo/Repo.ts"
import { asData } from "./asData.ts"
import { inWorkspace } from "./inWorkspace.ts"
import { orProblem } from "../problems.ts"

export const integrations = HttpApiBuilder.group(
  Api,
  "integrations",
  Effect.fn(function* (handlers) {
    const repo = yield* Repo

    return handlers.handle("list", () =>
      inWorkspace((workspaceId) => repo.integrations.list(workspaceId)).pipe(asData, orProblem)
    )
  })
)
