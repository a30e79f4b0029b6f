import type { LivePlatform } from "../platform.ts"
import type { AccountAnswer } from "./accountFindings.ts"
import type { Finding } from "./finding.ts"

export type LinkAnswer =
  | { readonly _tag: "Answers" }
  /** The page answers people, but no programs. */
  | { readonly _tag: "Withheld"; readonly status: number }
  | { readonly _tag: "Broken"; readonly reason: string }
  | { readonly _tag: "Unchecked"; readonly reason: string }

export type MentionAnswer =
  | { readonly _tag: "Known" }
  | { readonly _tag: "Unknown" }
  | { readonly _tag: "Unchecked"; readonly reason: string }

export type FileAnswer = "kept" | "missing" | "unchecked"

/** The answers from outside the database. A question that has no answer was not asked in time. */
export interface Answers {
  readonly accounts: ReadonlyMap<LivePlatform, AccountAnswer>
  readonly links: ReadonlyMap<string, LinkAnswer>
  /** By `mentionKey`. */
  readonly mentions: ReadonlyMap<string, MentionAnswer>
  /** By hash. */
  readonly files: ReadonlyMap<string, FileAnswer>
}

export interface AskedMention {
  readonly platform: LivePlatform
  readonly handle: string
}

export const mentionKey = ({ handle, platform }: AskedMention): string => `${platform} ${handle}`

/** The questions about a post that the database can't answer. */
export interface Questions {
  readonly links: ReadonlyArray<string>
  readonly mentions: ReadonlyArray<AskedMention>
  /** Hashes of the files that are sent. */
  readonly files: ReadonlyArray<string>
  /** Hashes of the pictures of its cards. */
  readonly cardPictures: ReadonlyArray<string>
}

const note = { level: "note", platform: null, integration_id: null } as const

/** Links in messages end after this many characters. */
const maxShown = 80

const shown = (link: string): string => (link.length <= maxShown ? link : `${link.slice(0, maxShown - 1)}…`)

const late = "there was no answer in time"

const openPage = "Open the page, and change the link if it is wrong"

const linkFindings = (link: string, answer: LinkAnswer | undefined): ReadonlyArray<Finding> => {
  const name = shown(link)
  switch (answer?._tag) {
    case "Answers":
      return []
    case "Withheld":
      return [
        {
          ...note,
          code: "link_withheld",
          message: `The page ${name} does not answer programs (${answer.status}), so it was not checked`,
          help: openPage
        }
      ]
    case "Broken":
      return [{ ...note, code: "link_broken", message: `The link ${name} is broken: ${answer.reason}`, help: openPage }]
    default:
      return [
        {
          ...note,
          code: "link_unchecked",
          message: `The link ${name} could not be checked: ${answer?.reason ?? late}`,
          help: openPage
        }
      ]
  }
}

const mentionFindings = (
  { handle, platform }: AskedMention,
  answer: MentionAnswer | undefined
): ReadonlyArray<Finding> => {
  switch (answer?._tag) {
    case "Known":
      return []
    case "Unknown":
      return [
        {
          ...note,
          platform,
          code: "mention_unknown",
          message: `There is no account @${handle}, so its mention will be plain text`,
          help: "Correct the name, or remove the mention"
        }
      ]
    default:
      return [
        {
          ...note,
          platform,
          code: "mention_unchecked",
          message: `It could not be checked whether there is an account @${handle}: ${answer?.reason ?? late}`,
          help: "Check again later"
        }
      ]
  }
}

const fileFindings = (answers: ReadonlyArray<FileAnswer>): ReadonlyArray<Finding> => [
  ...(answers.includes("missing")
    ? [
        {
          ...note,
          level: "needs_you",
          code: "file_missing",
          message: "A file of this post is gone from the store of media",
          help: "Upload the file again, or remove it from the post"
        } as const
      ]
    : []),
  ...(answers.includes("unchecked")
    ? [
        {
          ...note,
          code: "file_unchecked",
          message: "The store of media did not answer, so the post's files could not be checked",
          help: "Check again later; if this stays, ask the operator of the service"
        } as const
      ]
    : [])
]

export const findByAnswers = (asked: Questions, { files, links, mentions }: Answers): ReadonlyArray<Finding> => {
  const answersOf = (hashes: ReadonlyArray<string>) => hashes.map((hash) => files.get(hash) ?? "unchecked")
  return [
    ...fileFindings(answersOf(asked.files)),
    ...(answersOf(asked.cardPictures).includes("missing")
      ? [
          {
            ...note,
            code: "card_missing",
            message: "The picture of a link's card is gone, so the card will be shown without it",
            help: "Change the text and change it back, so that the card is looked up again"
          } as const
        ]
      : []),
    ...asked.links.flatMap((link) => linkFindings(link, links.get(link))),
    ...asked.mentions.flatMap((mention) => mentionFindings(mention, mentions.get(mentionKey(mention))))
  ]
}
