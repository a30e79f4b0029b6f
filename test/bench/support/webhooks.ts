import { Effect, Redacted } from "effect"
import { WorkspaceId } from "../../../src/domain/ids.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { repoLayer } from "../../chaos/support/world.ts"
import type { Database } from "./database.ts"

/** Creates a webhook in each workspace, at the URL with the workspace's number. Returns the secrets by number. */
export const makeWebhooks = Effect.fn("makeWebhooks")(function* (
  database: Database,
  teams: ReadonlyArray<{ readonly workspaceId: string }>,
  url: string
) {
  return yield* Effect.gen(function* () {
    const { webhooks } = yield* Repo
    const created = yield* Effect.forEach(teams, ({ workspaceId }, number) =>
      Effect.map(
        webhooks.create(WorkspaceId.make(workspaceId), { url: `${url}/${number}`, description: null, events: null }),
        ({ secret }) => [number, Redacted.value(secret)] as const
      )
    )
    return new Map(created)
  }).pipe(Effect.provide(repoLayer(database.url)))
})
