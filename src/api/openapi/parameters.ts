import type { OpenApi } from "effect/http-api"
import { groupId, newestCursor, notificationId, postId, requestId } from "./samples.ts"

interface Words {
  readonly name?: string
  readonly description?: string
  readonly example?: unknown
}

/** What the reference adds to a parameter: by the operation's tag where it means another thing elsewhere, else by name. */
const words: Readonly<Record<string, Words>> = {
  "Posts.id": { description: "The post's id.", example: postId },
  "Notifications.id": { description: "The notification's id.", example: notificationId },
  group_id: { description: "The id that the group's posts were created with.", example: groupId },
  "idempotency-key": {
    name: "Idempotency-Key",
    description:
      "A name of your choice for this request, 1 to 255 printable ASCII characters. For 24 hours a repetition of the request with it is " +
      "not carried out again, but answered as the first one was, with `Idempotent-Replayed: true`.",
    example: requestId
  },
  cursor: { example: newestCursor }
}

/** A parameter with what it means and an example. */
export const parameterOf = (
  { tags: [tag] }: OpenApi.OpenAPISpecOperation,
  { schema, ...parameter }: OpenApi.OpenAPISpecParameter
) => {
  const { example, ...rest } = words[`${tag}.${parameter.name}`] ?? words[parameter.name] ?? {}
  return { ...parameter, ...rest, schema: example === undefined ? schema : { ...schema, examples: [example] } }
}
