import { Effect, Option, Result, Schema } from "effect"
import { OutcomeUnknown, Rejected, Unavailable, UploadsGone } from "../domain/publishing/platformError.ts"
import type { Account, Prepared, PublishRequest } from "./PlatformClient.ts"

/** Another account may have been connected in place of `accountId` since the post was prepared. */
export const preparedPostReader = <S extends Schema.ConstraintDecoder<unknown>>(
  platform: string,
  schema: S,
  accountId: (post: S["Type"]) => string
) => {
  const decode = Schema.decodeUnknownOption(schema)
  const unreadable = { message: `The post prepared for ${platform} can't be read` }
  return {
    /** Another account must not send the post: with an unknown outcome, both accounts could have a copy. */
    toSend: (
      prepared: Prepared,
      account: Pick<Account, "accountId" | "username">
    ): Result.Result<S["Type"], Rejected> => {
      const post = decode(prepared)
      if (Option.isNone(post)) return Result.fail(new Rejected(unreadable))
      return accountId(post.value) === account.accountId
        ? Result.succeed(post.value)
        : Result.fail(
            new Rejected({
              message: `This post was prepared for another account. Publish it again to send it from ${account.username}.`
            })
          )
    },
    /** Fails with Unavailable while another account is connected, because that account can't show the post. */
    toReconcile: Effect.fnUntraced(function* (
      prepared: Prepared,
      account: Account
    ): Effect.fn.Return<S["Type"], OutcomeUnknown | Unavailable> {
      const post = decode(prepared)
      if (Option.isNone(post)) return yield* new OutcomeUnknown(unreadable)
      if (accountId(post.value) === account.accountId) return post.value
      return yield* new Unavailable({ message: `The post was sent from another account than ${account.username}` })
    })
  }
}

/**
 * Undefined without files. Unreadable uploads fail with UploadsGone: otherwise the post would go out without its files.
 */
export const uploadsReader = <S extends Schema.ConstraintDecoder<unknown>>(platform: string, schema: S) => {
  const decode = Schema.decodeUnknownOption(schema)
  return ({ uploads = null }: Pick<PublishRequest, "uploads">): Effect.Effect<S["Type"] | undefined, UploadsGone> =>
    uploads === null
      ? Effect.undefined
      : Effect.fromResult(
          Result.fromOption(
            decode(uploads),
            () =>
              new UploadsGone({
                message: `The record of the files uploaded to ${platform} for this post can't be read`
              })
          )
        )
}

/**
 * The tag and version of stored JSON. The previous version stores the first form without them. JSON read without them
 * is stored without them.
 */
export const storedForm = <const Tag extends string>(tag: Tag) => ({
  fields: {
    _tag: Schema.optionalKey(Schema.Literal(tag)),
    version: Schema.optionalKey(Schema.Literal(1))
  },
  members: { _tag: tag, version: 1 } as const
})
