import { Effect, Layer } from "effect"
import { Repo } from "../repo/Repo.ts"
import { runDeliverer } from "./deliveryFibers.ts"
import { MailDeliverer } from "./MailDeliverer.ts"
import { mailTelemetry } from "./telemetry.ts"

export const mailFibers = Layer.effectDiscard(
  Effect.gen(function* () {
    const { deliveries } = yield* Repo
    yield* runDeliverer(yield* MailDeliverer, deliveries.backlog("mail"), mailTelemetry.recordBacklog)
  })
)
