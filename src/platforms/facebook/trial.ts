import { Effect } from "effect"
import type { Call } from "../call.ts"
import type { Trial } from "../Connection.ts"
import { deletion, isDone, makeFacebookApi } from "./api.ts"
import type { FacebookConfig } from "./config.ts"
import { decodeAccess } from "./credentials.ts"
import { requestedScopes } from "./link.ts"

export const makeFacebookTrial = (config: FacebookConfig, call: Call): Trial => {
  const { ask } = makeFacebookApi(call, { note: () => {} })
  return {
    seenBy:
      "Followers may see it for some seconds. While the application is in development, only people with a role on it",
    price: null,
    openQuestions: [
      {
        question: "Is a text or a link published by is_published too? If this trial's post was taken, a text is",
        changes: "Otherwise these posts need another way of two phases"
      },
      {
        question: "Which time does the post show, and do followers get it like any other post?",
        changes: "the pause between the two phases, which is as short as possible today"
      },
      {
        question: "What does a second finish of a reel do? Repeat it, and look at the Page",
        changes: "If it makes no second reel, a lost answer could be repeated at once, as for other posts"
      },
      {
        question:
          "Does published=true show a landscape video to followers as a post with its description, and does a second one change nothing?",
        changes: "Otherwise such a video needs another way, as a reel does"
      },
      {
        question: "Does an upright video of more than 90 seconds stay a draft if it is posted as no reel?",
        changes: "If it does not, long upright videos need not be refused"
      },
      {
        question: "Does Facebook show the reel of a video that is not 9:16?",
        changes: "which videos are refused when a post is scheduled"
      }
    ],
    remove: ({ platformPostId }, account) =>
      ask(account, deletion(config, platformPostId ?? "")).pipe(
        Effect.map(isDone),
        Effect.orElseSucceed(() => false)
      ),
    missingScopes: (credentials) =>
      Effect.match(decodeAccess(credentials), {
        onFailure: () => [],
        onSuccess: ({ scopes }) =>
          scopes === undefined ? [] : requestedScopes.filter((scope) => !scopes.includes(scope))
      })
  }
}
