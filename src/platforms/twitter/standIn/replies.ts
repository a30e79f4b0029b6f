import { Result, Schema } from "effect"
import type { StandInResponse } from "../../../sandbox/endpoint.ts"
import type { SandboxAccount, SandboxPost } from "../../../sandbox/state/entry.ts"
import type { State } from "../../../sandbox/state/state.ts"
import { twitterParentUnseen, twitterReplyForbidden } from "./responses.ts"

const Id = Schema.String.check(Schema.isPattern(/^\d{1,19}$/, { expected: "an id" }))

/** By X's OpenAPI document. */
export const NewReply = Schema.Struct({
  in_reply_to_tweet_id: Id,
  auto_populate_reply_metadata: Schema.optionalKey(Schema.Boolean),
  exclude_reply_user_ids: Schema.optionalKey(Schema.Array(Id))
})

export const conversationOf = ({ id, reply }: SandboxPost): string => reply?.root ?? id

interface Allowed {
  readonly now: number
  readonly mayReply: boolean
  readonly mayReplyToOthers: boolean
}

export const placeReply = (
  state: State,
  account: SandboxAccount,
  repliesTo: string | null,
  { mayReply, mayReplyToOthers, now }: Allowed
): Result.Result<Pick<SandboxPost, "reply">, StandInResponse> => {
  if (repliesTo === null) return Result.succeed({})
  if (!mayReply) return Result.fail(twitterReplyForbidden())
  const parent = state.posts().find(({ id, platform }) => platform === "twitter" && id === repliesTo)
  if (parent === undefined || now < (parent.repliesFrom ?? 0)) return Result.fail(twitterParentUnseen())
  return parent.accountId === account.id || mayReplyToOthers
    ? Result.succeed({ reply: { root: conversationOf(parent), parent: parent.id } })
    : Result.fail(twitterReplyForbidden())
}
