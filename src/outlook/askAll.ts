import { type Duration, Effect } from "effect"
import { AskAccount } from "../accounts/AskAccount.ts"
import type { DatabaseUnavailable } from "../domain/errors.ts"
import type { WorkspaceId } from "../domain/ids.ts"
import type { AccountAnswer } from "../domain/outlook/accountFindings.ts"
import {
  type Answers,
  type FileAnswer,
  type LinkAnswer,
  type MentionAnswer,
  mentionKey,
  type Questions
} from "../domain/outlook/answers.ts"
import type { DueAccount } from "../domain/outlook/duePost.ts"
import type { LivePlatform } from "../domain/platform.ts"
import { CheckFiles } from "./CheckFiles.ts"
import { CheckLinks } from "./CheckLinks.ts"

/** The most questions of a kind in a check. The others stay without an answer. */
const most = { links: 300, mentions: 200, files: 2_000 }

const concurrency = 4

/** The first `count` keys, each once. */
const firstOf = <A>(
  asked: ReadonlyArray<readonly [key: string, A]>,
  count: number
): ReadonlyArray<readonly [string, A]> => Array.from(new Map(asked)).slice(0, count)

const named = (names: ReadonlyArray<string>) => names.map((name) => [name, name] as const)

/** Puts the answers into a map as they arrive. */
const ask = <Q, K, A>(
  questions: ReadonlyArray<readonly [K, Q]>,
  into: Map<K, A>,
  answer: (question: Q) => Effect.Effect<A, DatabaseUnavailable>
) =>
  Effect.forEach(questions, ([key, question]) => Effect.map(answer(question), (found) => into.set(key, found)), {
    concurrency,
    discard: true
  })

/** Asks once what several posts want to know, all within the time. A question without an answer is left out. */
export const makeAskAll = Effect.gen(function* () {
  const { askAccount, askMention } = yield* AskAccount
  const checkLink = yield* CheckLinks
  const checkFile = yield* CheckFiles

  return Effect.fn("Outlook.askAll")(function* (
    workspaceId: WorkspaceId,
    accounts: ReadonlyArray<DueAccount>,
    asked: ReadonlyArray<Questions>,
    within: Duration.Duration
  ): Effect.fn.Return<Answers, DatabaseUnavailable> {
    const answers = {
      accounts: new Map<LivePlatform, AccountAnswer>(),
      links: new Map<string, LinkAnswer>(),
      mentions: new Map<string, MentionAnswer>(),
      files: new Map<string, FileAnswer>()
    }
    const connected = accounts.filter(({ status }) => status === "connected")
    const accountOn = new Map(connected.map((account) => [account.platform, account]))
    const mentions = asked.flatMap((each) =>
      each.mentions.flatMap((mention) => {
        const account = accountOn.get(mention.platform)
        return account === undefined ? [] : [[mentionKey(mention), { account, handle: mention.handle }] as const]
      })
    )
    const hashes = asked.flatMap(({ cardPictures, files }) => [...files, ...cardPictures])
    yield* Effect.all(
      [
        ask([...accountOn], answers.accounts, (account) => askAccount(workspaceId, account)),
        ask(firstOf(mentions, most.mentions), answers.mentions, ({ account, handle }) =>
          askMention(workspaceId, account, handle)
        ),
        ask(firstOf(named(asked.flatMap(({ links }) => links)), most.links), answers.links, (link) =>
          checkLink(workspaceId, link)
        ),
        ask(firstOf(named(hashes), most.files), answers.files, (hash) => checkFile(workspaceId, hash))
      ],
      { concurrency: "unbounded", discard: true }
    ).pipe(Effect.timeoutOrElse({ duration: within, orElse: () => Effect.void }))
    return answers
  })
})
