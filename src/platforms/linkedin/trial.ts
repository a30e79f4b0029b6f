import { Effect } from "effect"
import { HttpClientRequest } from "effect/http"
import type { Call } from "../call.ts"
import type { LinkedinConfig } from "./config.ts"
import type { Trial } from "../Connection.ts"
import { makeLinkedinApi } from "./api.ts"
import { decodeAccess } from "./credentials.ts"
import { scopes } from "./link.ts"
import { isPageUrn } from "./syntax.ts"

const needed = Object.values(scopes).map((each) => each.split(" "))

export const makeLinkedinTrial = (config: LinkedinConfig, call: Call): Trial => {
  const api = makeLinkedinApi(config, call)
  return {
    seenBy: "Followers and connections may see them for some seconds",
    price: null,
    canRead: ({ accountId }) => isPageUrn(accountId),
    openQuestions: [
      {
        question:
          "May an application with Share on LinkedIn alone use /rest/posts? If this trial's post was taken, it may",
        changes: "Otherwise profiles need /v2/ugcPosts, whose texts are plain"
      },
      {
        question: "How far does a page's list of posts lag? Post on a page, and list the posts until it is there",
        changes: "the five minutes before a missing post is believed to be missing, and the number of looks"
      },
      {
        question: "Do escapes count toward the 3,000 characters? Post a text of 3,000 characters with parentheses",
        changes: "how texts are measured"
      },
      {
        question: "How long is a repeated text refused? Post a text twice, after minutes, hours and a day",
        changes: "the explanation of DUPLICATE_POST, and the stand-in's ten minutes"
      },
      {
        question:
          "Does the consent to an application for pages give a refresh_token? Look at the answer of the token address",
        changes: "the access would be renewed, and nobody would have to connect again after 60 days"
      }
    ],
    remove: ({ platformPostId }, account) =>
      api
        .sendIdly(
          account,
          HttpClientRequest.delete(`${config.apiUrl}/rest/posts/${encodeURIComponent(platformPostId ?? "")}`)
        )
        .pipe(
          Effect.map(({ status }) => status === 204),
          Effect.orElseSucceed(() => false)
        ),
    missingScopes: (credentials) =>
      Effect.match(decodeAccess(credentials), {
        onFailure: () => [],
        onSuccess: ({ scope = "" }) => {
          const granted = scope.split(" ")
          // The scopes that the access shares most with are those of its application.
          const lacking = needed.map((wanted) => wanted.filter((each) => !granted.includes(each)))
          return lacking.toSorted((one, other) => one.length - other.length)[0] ?? []
        }
      })
  }
}
