import { Effect, Layer } from "effect"
import type { WebhookId, WorkspaceId } from "../../src/domain/ids.ts"
import type { DeliveryStatus } from "../../src/domain/webhooks/webhook.ts"
import { Outbound } from "../../src/outbound/Outbound.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { Deliverer } from "../../src/webhooks/Deliverer.ts"
import { dispatchAll } from "../../src/webhooks/webhookFibers.ts"
import { repoLayer } from "../support/database/testDatabase.ts"

/** A database, and the client that reaches this machine. */
export const webhookLayer = Layer.mergeAll(repoLayer, Outbound.layer({ loopback: true }))

/** A deliverer of its own, which ends with the scope. */
const makeDeliverer = Layer.build(Layer.fresh(Deliverer.layer))

/** Dispatches what was recorded, and delivers what is due. */
export const deliverDue = Effect.gen(function* () {
  const deliverer = yield* Deliverer
  yield* dispatchAll
  yield* Effect.repeat(Effect.tap(deliverer.tick, deliverer.idle), { until: (claimed) => claimed === 0 })
})

/** Runs an effect with a deliverer of its own. */
export const withDeliverer = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(makeDeliverer, (context) => Effect.provideContext(effect, context))

/** The log of a webhook's deliveries, newest event first. */
export const logOf = Effect.fn("logOf")(function* (
  workspaceId: WorkspaceId,
  id: WebhookId,
  status: DeliveryStatus | null = null
) {
  const { webhooks } = yield* Repo
  return yield* webhooks.deliveries(workspaceId, id, { limit: 100, status, before: null })
})
