import { Effect } from "effect"
import type { Call } from "../call.ts"
import type { Trial } from "../Connection.ts"
import { makeTiktokApi } from "./api.ts"
import type { TiktokConfig } from "./config.ts"
import { askCreator } from "./creator.ts"
import { missingScopes } from "./tokens.ts"

/** Publishes nothing: each post on TikTok has a video, and no request deletes a post. */
export const makeTiktokTrial = (config: TiktokConfig, call: Call): Trial => {
  const api = makeTiktokApi(config, call)
  return {
    seenBy: "Nobody sees anything of it",
    price: null,
    rehearse: (account) => Effect.asVoid(askCreator(api, account)),
    remove: () => Effect.succeed(false),
    missingScopes,
    openQuestions: [
      {
        question:
          "Which number does the Content-Range of a 416 have, and which uploaded_bytes the state? Send a chunk twice",
        changes: "nothing, if they count the bytes or name the last one; else an upload begins anew after a lost answer"
      },
      {
        question: "Does a publish_id end in FAILED if its last chunk never comes? Ask for it two hours later",
        changes: "the proof that a video is not out whose bytes did not all arrive"
      },
      {
        question: "How long does TikTok answer for a publish_id? Ask for one after a day and after a week",
        changes: "how long an unknown outcome is asked for"
      },
      {
        question: "What does the last chunk do if it is sent twice? Try it with a video that only you can see",
        changes: "if it makes one post, as here; else it must not be repeated after a lost answer"
      }
    ]
  }
}
