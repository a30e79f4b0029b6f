import type { TextMeasure } from "../../../domain/posts/platformRules.ts"
import { findEntities } from "../../../domain/posts/text/entities.ts"
import { joinReasons } from "../../../domain/posts/text/textRules.ts"
import * as limits from "../limits.ts"
import { instagram as preview } from "../preview.ts"

/** Instagram does not document its unit. UTF-16 code units never count less than the others. */
export const measure = ({ length }: string): TextMeasure => ({
  length,
  limit: limits.text,
  valid: length <= limits.text
})

const hashtag = /(?<![\p{L}\p{M}\p{N}_#&/])[#＃][\p{L}\p{M}\p{N}_]+/gu

const mention = new RegExp(preview.mention, "gu")

export const refuseText = (text: string): string | undefined => {
  const tags = text.match(hashtag)?.length ?? 0
  const mentions = text.match(mention)?.length ?? 0
  return joinReasons(
    tags > limits.hashtags ? `accepts ${limits.hashtags} hashtags, but this text has ${tags}` : undefined,
    mentions > limits.mentions ? `accepts ${limits.mentions} mentions, but this text has ${mentions}` : undefined
  )
}

export const explainUnlinked = (text: string): ReadonlyArray<string> =>
  findEntities(text).some(({ feature }) => feature._tag === "Link")
    ? ["makes no links in captions; people can only read the address"]
    : []
