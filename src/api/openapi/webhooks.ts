import { deliveredEvents } from "../../domain/webhooks/event.ts"
import { eventId } from "../../domain/samples.ts"
import { reference } from "./json.ts"

const header = (name: string, description: string, example: string) => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string" },
  example
})

const parameters = [
  header("webhook-id", "The event's id, the same at every attempt: drop what you have received before.", eventId),
  header(
    "webhook-timestamp",
    "When this attempt began, in Unix seconds: refuse what is older than some minutes.",
    "1893488402"
  ),
  header(
    "webhook-signature",
    "One or more signatures, separated by spaces. Each is `v1,` and the base64 of the HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}` " +
      "with the secret's bytes, which follow `whsec_` in base64. Compare in constant time; one that matches is enough.",
    "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="
  )
]

const operationIdOf = (name: string) => `receive${name}`

export const webhooks = Object.fromEntries(
  deliveredEvents.map(({ description, example, name, type }) => [
    type,
    {
      post: {
        tags: ["webhooks"],
        operationId: operationIdOf(name),
        summary: type,
        description,
        parameters,
        requestBody: {
          description,
          required: true,
          content: { "application/json": { schema: reference(name), examples: { [type]: { value: example } } } }
        },
        responses: {
          "2XX": { description: "The event was received." },
          "410": { description: "The webhook is not wanted any more: it is disabled." },
          default: { description: "The event is sent again later; a `Retry-After` is honored." }
        },
        security: []
      }
    }
  ])
)
