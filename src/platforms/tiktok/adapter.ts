import { Effect, Option } from "effect"
import { Rejected } from "../../domain/publishing/platformError.ts"
import type { Call } from "../call.ts"
import { type PlatformAdapter, Uploaded } from "../PlatformClient.ts"
import { requireFit } from "../preparedPost.ts"
import { makeTiktokApi } from "./api.ts"
import { chunksOf } from "./chunks.ts"
import type { TiktokConfig } from "./config.ts"
import { askCreator, captionOf, postInfo, postingOptions, seenBy } from "./creator.ts"
import { tiktok as facts } from "./facts.ts"
import { longestProcessing, makeLooks } from "./look.ts"
import { encodePost, encodeUploads, readUploads } from "./prepared.ts"
import { measure } from "./rules/text.ts"
import { makeSend } from "./send.ts"
import { makeTransfer, readTransfer } from "./transfer.ts"

/**
 * `prepare` begins an upload with the post's settings, and sends all of it but the last chunk. The last chunk publishes
 * the video, so that `send` sends it. The upload's id tells what became of it.
 */
export const makeTiktokAdapter = (config: TiktokConfig, call: Call): PlatformAdapter => {
  const api = makeTiktokApi(config, call)
  const { begin, transfer, uploading } = makeTransfer(config, api)

  return {
    calls: api.calls,
    renew: api.renew,
    // Looks are counted only after a day without an answer.
    maxReconcileAttempts: 12,
    longestProcessing,
    /** TikTok takes a video only with its settings, so nothing is sent yet. */
    upload: ([file]) =>
      file === undefined
        ? Effect.fail(new Rejected({ message: "TikTok accepts no post without a video" }))
        : Effect.succeed(
            Uploaded({
              uploads: encodeUploads({
                video: {
                  hash: file.hash,
                  contentType: file.contentType,
                  size: file.size,
                  durationMs: file.durationMs
                }
              })
            })
          ),
    preparesThere: true,
    prepare: Effect.fn("Tiktok.prepare")(function* (request, account) {
      const { begun = null, isSought = false, reply = null } = request
      const chosen = request.settings.tiktok ?? {}
      const uploads = yield* readUploads(request)
      const text = captionOf(request.text, chosen)
      yield* requireFit({ platform: facts.name, measure, unit: facts.textUnit }, text, true)
      if (reply !== null) {
        return yield* new Rejected({ message: "TikTok has no threads, so this part can't be posted there" })
      }
      const { accountId } = account
      const sent = { accountId, text, seenBy: seenBy(chosen) }
      if (isSought) return encodePost(sent)
      if (uploads === undefined) return yield* new Rejected({ message: "TikTok accepts no post without a video" })
      const { video } = uploads
      const wanted = JSON.stringify([text, chosen])
      const known = Option.filter(
        readTransfer(begun),
        (each) => each.accountId === accountId && each.upload.video.hash === video.hash && each.wanted === wanted
      )
      const continued = Option.isSome(known) ? yield* transfer(known.value, account) : Option.none()
      if (Option.isSome(continued)) {
        const { upload, username } = continued.value
        return encodePost({ ...sent, username, upload })
      }
      const creator = yield* askCreator(api, account)
      const info = yield* postInfo(creator, text, chosen, video)
      const started = yield* begin({ account, username: creator.creator_username, info, wanted, video })
      // The id is stored before the first byte: here with the upload's progress, else with the post.
      if (chunksOf(video.size).count > 1) return yield* uploading(started)
      return encodePost({ ...sent, username: started.username, upload: started.upload })
    }),
    send: makeSend(config),
    sendSpan: "Tiktok.publish",
    postingOptions: (account) => Effect.map(askCreator(api, account), postingOptions),
    ...makeLooks(config, api)
  }
}
