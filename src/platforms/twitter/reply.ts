import { DateTime, Duration, Effect, Option, Schema } from "effect"
import { Rejected, TooEarly } from "../../domain/publishing/platformError.ts"
import type { PlatformResponse } from "../call.ts"
import { answeredAt } from "../outcome.ts"
import type { PublishRequest } from "../PlatformClient.ts"
import { hidesParent, isReplyForbidden, problemDetail } from "./problem.ts"
import { XId } from "./syntax.ts"
import { timeOfId } from "./timeline.ts"

export const TwitterReply = Schema.Struct({
  parentId: XId,
  /** The thread's first post. Its id is the conversation's id. */
  rootId: XId,
  parentAt: Schema.DateTimeUtcFromString
})
export type TwitterReply = typeof TwitterReply.Type

const isXId = Schema.is(XId)

export const readReply = ({
  reply = null
}: Pick<PublishRequest, "reply">): Effect.Effect<TwitterReply | undefined, Rejected> => {
  if (reply === null) return Effect.undefined
  const { parent, parentAt, root } = reply
  return isXId(parent.platformPostId) && isXId(root.platformPostId)
    ? Effect.succeed({ parentId: parent.platformPostId, rootId: root.platformPostId, parentAt })
    : Effect.fail(new Rejected({ message: "It is not known which post on X this part of the thread replies to" }))
}

/**
 * X may hide a new post from replies for this time. Third parties report seconds. The longer this is, the later the
 * service refuses a reply to a deleted post.
 */
const longestUnseen = Duration.minutes(10)

/**
 * Compares only X's own times: this process's clock may be fast, and `parentAt`, which the previous version uses, may
 * come from another process. If X's time is missing, the post counts as new.
 */
const isOld = (parentId: string, response: PlatformResponse): boolean =>
  Option.exists(Option.all([timeOfId(parentId), answeredAt(response.headers)]), ([createdAt, now]) =>
    DateTime.isGreaterThanOrEqualTo(now, DateTime.addDuration(createdAt, longestUnseen))
  )

/**
 * Explains a refusal that only replies get. As third parties report, X refuses alike if the parent was deleted and if X
 * does not show it yet. The parent's age tells these apart.
 */
export const refusedReply = (
  { parentId }: TwitterReply,
  response: PlatformResponse
): Rejected | TooEarly | undefined => {
  const because = Option.match(Option.fromNullOr(problemDetail(response)), {
    onNone: () => "",
    onSome: (detail) => `: ${detail}`
  })
  if (hidesParent(response)) {
    return isOld(parentId, response)
      ? new Rejected({ message: `The part before this one was deleted on X, or is not visible there${because}` })
      : new TooEarly({ message: `X does not show the part before this one yet${because}` })
  }
  return isReplyForbidden(response)
    ? new Rejected({ message: `X does not let this application reply to the part before this one${because}` })
    : undefined
}
