import { Effect, Option } from "effect"
import { HttpClientRequest } from "effect/http"
import { nextMediaId } from "../../domain/ids.ts"
import { Unavailable } from "../../domain/publishing/platformError.ts"
import type { Call } from "../call.ts"
import type { Trial } from "../Connection.ts"
import { failAt } from "../outcome.ts"
import type { Account } from "../PlatformClient.ts"
import { makeYoutubeApi } from "./api.ts"
import type { YoutubeConfig } from "./config.ts"
import { refusedIdly } from "./problem.ts"
import { sessionOf, sessionStart, sessionState, unchanged } from "./session.ts"
import { videoRequest, videoState } from "./state.ts"
import { makeKey } from "./syntax.ts"
import { missingScopes } from "./tokens.ts"

/** The beginning of an MP4, without a picture: enough for an upload, and nothing to see. */
const bytes = Uint8Array.from("\0\0\0\u{18}ftypmp42\0\0\0\0mp42isom", (character) => character.codePointAt(0) ?? 0)

/** Uploads a video that only the channel sees, changes its title, reads it, and deletes it. */
export const makeYoutubeTrial = (config: YoutubeConfig, call: Call): Trial => {
  const { ask } = makeYoutubeApi(config, call)

  const remove = (video: string, account: Account) =>
    ask(account, HttpClientRequest.delete(`${config.apiUrl}/youtube/v3/videos`, { urlParams: { id: video } })).pipe(
      Effect.map(({ status }) => status === 204),
      Effect.orElseSucceed(() => false)
    )

  const upload = Effect.fnUntraced(function* (account: Account) {
    const file = { contentType: "video/mp4", size: bytes.byteLength }
    const started = yield* ask(account, sessionStart(config, file, makeKey(yield* nextMediaId)))
    const session = sessionOf(config, started)
    if (Option.isNone(session)) return yield* failAt((now) => refusedIdly(started, now))
    const sent = yield* ask(
      account,
      HttpClientRequest.put(session.value).pipe(HttpClientRequest.bodyUint8Array(bytes, file.contentType))
    )
    const state = sessionState(sent, file.size)
    return Option.isSome(state) && state.value._tag === "Done"
      ? state.value.video
      : yield* failAt((now) => refusedIdly(sent, now))
  })

  const change = Effect.fnUntraced(function* (video: string, account: Account) {
    const title = "A trial, which is deleted right away"
    const response = yield* ask(
      account,
      HttpClientRequest.put(`${config.apiUrl}/youtube/v3/videos`, { urlParams: { part: "snippet,status" } }).pipe(
        HttpClientRequest.bodyJsonUnsafe({
          id: video,
          snippet: { ...unchanged.snippet, title },
          status: { ...unchanged.status, privacyStatus: "private", selfDeclaredMadeForKids: false }
        })
      )
    )
    if (response.status !== 200) return yield* failAt((now) => refusedIdly(response, now))
    const state = videoState(video, yield* ask(account, videoRequest(config, video)))
    const isChanged = Option.exists(state, (is) => is !== "missing" && is.title === title)
    if (!isChanged) return yield* new Unavailable({ message: "YouTube did not show the changed title of a video" })
  })

  return {
    seenBy: "Nobody but the channel sees anything of it: a private video without a picture, which is deleted",
    price: null,
    rehearse: Effect.fnUntraced(function* (account) {
      const video = yield* upload(account)
      const changed = yield* Effect.result(change(video, account))
      if (!(yield* remove(video, account))) {
        yield* Effect.logWarning(`Not deleted; delete this private video: ${config.webUrl}/watch?v=${video}`)
      }
      yield* Effect.fromResult(changed)
    }, Effect.uninterruptible),
    remove: ({ platformPostId }, account) =>
      platformPostId === null ? Effect.succeed(false) : remove(platformPostId, account),
    missingScopes,
    openQuestions: [
      {
        question: "Does a new application's video become public? Publish one, and look at it logged out",
        changes: "if it stays private, the service says so after each post, until Google has audited the application"
      },
      {
        question: "Are subscribers told when a private video becomes public, and when was it published?",
        changes: "nothing in the service; notifySubscribers could be set at the upload"
      },
      {
        question: "How long does an upload's address answer after the last byte? Ask after a day and after a week",
        changes: "whether a kill after the last byte can need a second upload"
      },
      {
        question: "Does the list of uploads show a private video right after its last byte?",
        changes: "whether a private video can be left over if the upload's address has ended"
      },
      {
        question: "Is a title of 100 emoji taken?",
        changes: "how titles are counted"
      }
    ]
  }
}
