import { Schema } from "effect"
import { IntegrationId } from "../ids.ts"
import { findingLevels } from "../plain/outlook.ts"
import { Platform } from "../platform.ts"
import * as sample from "../samples.ts"

/** Every kind of finding, with its meaning. A code keeps its meaning for good. */
const meanings = {
  post_unreadable: "this version of the service can't read the post",
  publishing_held: "publishing is on hold after a restore, so that nothing is asked of platforms",
  draft_unscheduled: "a draft has a time, but nobody has scheduled it",
  draft_unapproved: "a draft waits for approval",
  platform_disabled: "the service does not publish to the platform",
  account_missing: "the workspace has no account on the platform any more",
  account_lost: "the account has to be connected again",
  account_unchecked: "the platform could not tell whether it still accepts the account",
  access_ending: "the access to the account ends before the post's time",
  spending_reached: "the platform refuses posts, because the service's application has no credits left",
  text_refused: "a platform refuses a text",
  text_repeated: "the account has the same text already, published or scheduled",
  setting_refused: "a platform refuses a setting",
  file_missing: "a file is gone",
  file_refused: "a platform refuses a file",
  file_processing: "a file is still being processed",
  file_unchecked: "the store of files did not answer",
  card_missing: "the picture of a link's card is gone, so that the card is shown without it",
  link_broken: "the page of a link answers with an error",
  link_withheld: "the page of a link answers people, but no programs",
  link_unchecked: "the page of a link could not be reached",
  mention_unknown: "a mentioned account was not found, so that the mention is plain text",
  mention_unchecked: "the platform did not answer about a mentioned account",
  same_minute: "another post on the account is due within a minute"
} as const
export type FindingCode = keyof typeof meanings

const isCode = (code: string): code is FindingCode => Object.hasOwn(meanings, code)
const findingCodes = Object.keys(meanings).filter(isCode)

/** These say that a check could not be made. */
const uncheckedCodes: ReadonlySet<FindingCode> = new Set([
  "publishing_held",
  "account_unchecked",
  "file_unchecked",
  "link_unchecked",
  "mention_unchecked"
])

export const findingExample = {
  code: "account_lost",
  level: "needs_you",
  message: `${sample.otherName} no longer accepts the account @acme.example`,
  help: "Connect the account again",
  platform: sample.otherPlatform,
  integration_id: sample.integrationId
} as const

export const Finding = Schema.Struct({
  code: Schema.Literals(findingCodes).annotateKey({
    description: `The kind of finding. ${findingCodes.map((code) => `\`${code}\`: ${meanings[code]}.`).join(" ")} Later versions may add codes.`
  }),
  level: Schema.Literals(findingLevels).annotateKey({
    description: "`needs_you`: the post will not go out as planned unless somebody acts. `note`: it will."
  }),
  message: Schema.String.annotateKey({ description: "What was found, for people." }),
  help: Schema.String.annotateKey({ description: "The step that helps, for people." }),
  platform: Schema.NullOr(Platform).annotateKey({
    description: "The platform that it is about; null if it is about all of the post's."
  }),
  integration_id: Schema.NullOr(IntegrationId).annotateKey({
    description: "The account that it is about; null without one."
  })
})
  .annotate({ identifier: "OutlookFinding", description: "Something that a check of a post has found." })
  .pipe(Schema.annotateEncoded({ examples: [findingExample] }))
export type Finding = typeof Finding.Type

const rank: Readonly<Record<Finding["level"], number>> = { needs_you: 0, note: 1 }

/** First what needs somebody. */
export const byLevel = (one: Pick<Finding, "level">, other: Pick<Finding, "level">): number =>
  rank[one.level] - rank[other.level]

export const isUnchecked = ({ code }: Pick<Finding, "code">): boolean => uncheckedCodes.has(code)

/** Many pages refuse programs, so that this alone is worth no message. */
export const isQuiet = ({ code }: Pick<Finding, "code">): boolean => code === "link_withheld"
