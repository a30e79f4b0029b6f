import { Duration, Effect, Layer } from "effect"
import { Publisher } from "../../src/publishing/Publisher.ts"
import { Repo } from "../../src/repo/Repo.ts"

const longLeases = Layer.effect(
  Repo,
  Effect.map(Repo, (repo) =>
    Repo.of({
      ...repo,
      processes: { ...repo.processes, renew: (id) => repo.processes.renew(id, Duration.days(1)) }
    })
  )
)

/**
 * The publisher of a test that moves its clock. In the database, whose clock is real, its lease lasts for a day: the
 * process renews it by the test's clock, which stands still while a busy machine takes half a minute, and would then
 * claim nothing.
 */
export const publisherLayer = Publisher.layer.pipe(Layer.provide(longLeases))
