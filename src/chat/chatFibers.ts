import { Effect, Layer } from "effect"
import { runDeliverer } from "../mail/deliveryFibers.ts"
import { Repo } from "../repo/Repo.ts"
import { ChatDeliverer, chatTelemetry } from "./ChatDeliverer.ts"

export const chatFibers = Layer.effectDiscard(
  Effect.gen(function* () {
    const { deliveries } = yield* Repo
    yield* runDeliverer(yield* ChatDeliverer, deliveries.backlog("chat"), chatTelemetry.recordBacklog)
  })
)
