import { Duration, Option, Schema } from "effect"
import type { MailResult } from "../mail/mailPolicy.ts"
import { type ChannelKind, channelKindNames } from "../plain/chat.ts"
import { redactSecrets } from "../redactSecrets.ts"

export interface ChatAnswer {
  readonly status: number
  /** The beginning of the body. */
  readonly body: string
  /** From the header. */
  readonly retryAfter: Duration.Duration | null
}

export interface ChatOutcome {
  readonly result: MailResult
  /** True if the URL, or the channel behind it, does not exist any more. */
  readonly isRevoked: boolean
  /** In words. */
  readonly answer: string
}

const maxAnswer = 200

/** Mattermost's and Discord's errors. */
const ErrorBody = Schema.fromJsonString(
  Schema.Struct({
    id: Schema.optionalKey(Schema.String),
    code: Schema.optionalKey(Schema.Finite),
    message: Schema.optionalKey(Schema.String),
    /** In seconds, with fractions. */
    retry_after: Schema.optionalKey(Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0)))
  })
)
type ErrorBody = typeof ErrorBody.Type
const decodeBody = Schema.decodeUnknownOption(ErrorBody)

/**
 * Slack: `channel_not_found`, `no_service` and `no_team` have 404, `channel_is_archived` has 410. Mattermost and
 * Discord say in the body that they do not know a webhook. A proxy in front of Mattermost may answer 404, too.
 */
const isRevocation = (kind: ChannelKind, { body, status }: ChatAnswer, error: ErrorBody): boolean => {
  switch (kind) {
    case "slack":
      return status === 404 || status === 410 || (status === 403 && body.includes("invalid_token"))
    case "discord":
      return (status === 404 && error.code === 10_015) || (status === 401 && error.code === 50_027)
    case "mattermost":
      return status < 500 && error.id === "web.incoming_webhook.invalid.app_error"
  }
}

/** Servers may repeat the path, which is the secret. */
const withoutSecrets = (text: string, url: string): string => {
  const segments = (URL.parse(url)?.pathname ?? "").split("/").filter((segment) => segment.length >= 6)
  return redactSecrets(segments.reduce((left, segment) => left.replaceAll(segment, "…"), text))
}

/** One line for people, without the URL's secret. */
const wordsOf = (kind: ChannelKind, { body, status }: ChatAnswer, error: ErrorBody, url: string): string => {
  const said = withoutSecrets(error.message ?? body, url)
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim()
  const shown = Array.from(said).slice(0, maxAnswer).join("")
  return `${channelKindNames[kind]} answered ${status}${shown === "" ? "" : `: ${shown}`}`
}

export const interpretAnswer = (kind: ChannelKind, url: string, answer: ChatAnswer): ChatOutcome => {
  const error = Option.getOrElse(decodeBody(answer.body), (): ErrorBody => ({}))
  const isSuccess = answer.status >= 200 && answer.status < 300
  if (isSuccess) {
    return {
      result: { _tag: "Sent" },
      isRevoked: false,
      answer: `${channelKindNames[kind]} answered ${answer.status}`
    }
  }
  const words = wordsOf(kind, answer, error, url)
  const isRevoked = isRevocation(kind, answer, error)
  const asked = error.retry_after === undefined ? answer.retryAfter : Duration.seconds(Math.min(error.retry_after, 1e9))
  return {
    result: {
      _tag: "Failed",
      reason: words,
      isFinal: isRevoked,
      ...(answer.status === 429 && asked !== null && { retryAfter: asked })
    },
    isRevoked,
    answer: words
  }
}

export const withoutAnswer = (reason: string): ChatOutcome => ({
  result: { _tag: "Failed", reason, isFinal: false },
  isRevoked: false,
  answer: reason
})
