import { Effect } from "effect"
import { Repo } from "../../../src/repo/Repo.ts"
import { makeWorkspace } from "../../support/database/fixtures.ts"

/** An X account in a new workspace. */
export const makeConnectedAccount = Effect.gen(function* () {
  const { integrations } = yield* Repo
  const workspace = yield* makeWorkspace(["twitter"])
  const [account] = yield* integrations.list(workspace)
  return { workspace, id: (account ?? (yield* Effect.die("There is no account"))).id }
})
