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
 * The publisher for tests that move their clock. The process renews its lease by the test's clock, which can stand
 * still for half a minute on a busy machine. The database's clock is real, so the lease in the database lasts a day;
 * with an expired lease the publisher would claim nothing.
 */
export const publisherLayer = Publisher.layer.pipe(Layer.provide(longLeases))
