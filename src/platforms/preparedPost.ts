import { Effect, Option, Result, Schema } from "effect"
import { OutcomeUnknown, Rejected, Unavailable, UploadsGone } from "../domain/publishing/platformError.ts"
import type { PlatformRules } from "../domain/posts/platformRules.ts"
import { measureText } from "../domain/posts/text/textRules.ts"
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
    /**
     * Rejects the post if another account is connected: after an unknown outcome, both accounts could have a copy of
     * the post.
     */
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
 * Returns undefined without files. Uploads that can't be read are UploadsGone, because the post would otherwise be sent
 * without its files.
 */
export const uploadsReader = <S extends Schema.ConstraintDecoder<unknown>>(platform: string, schema: S) => {
  const decode = Schema.decodeUnknownOption(schema)
  return ({ uploads = null }: Pick<PublishRequest, "uploads">): Effect.Effect<S["Type"] | undefined, UploadsGone> =>
    uploads === null
      ? Effect.undefined
      : Effect.mapError(
          Effect.fromOption(decode(uploads)),
          () =>
            new UploadsGone({ message: `The record of the files uploaded to ${platform} for this post can't be read` })
        )
}

interface TextLimit {
  readonly platform: string
  readonly measure: PlatformRules["measure"]
  readonly unit: string
}

export const requireFit = ({ measure, platform, unit }: TextLimit, text: string, hasFiles: boolean) => {
  const { length, limit, valid } = measureText({ measure }, text, hasFiles)
  const message = `${platform} accepts texts of 1 to ${limit} ${unit}; this one has ${length}`
  return valid ? Effect.void : Effect.fail(new Rejected({ message }))
}

/**
 * The tag and version of stored JSON, which the previous version omits. JSON that was read without them is stored
 * without them.
 */
export const storedForm = <const Tag extends string>(tag: Tag) => ({
  fields: {
    _tag: Schema.optionalKey(Schema.Literal(tag)),
    version: Schema.optionalKey(Schema.Literal(1))
  },
  members: { _tag: tag, version: 1 } as const
})
