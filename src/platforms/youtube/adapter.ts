import { DateTime, Effect } from "effect"
import { isBlank } from "../../domain/plain/blankText.ts"
import { OutcomeUnknown, Rejected, UploadsGone } from "../../domain/publishing/platformError.ts"
import type { Call } from "../call.ts"
import type { PlatformAdapter } from "../PlatformClient.ts"
import { requireFit } from "../preparedPost.ts"
import { makeYoutubeApi } from "./api.ts"
import type { YoutubeConfig } from "./config.ts"
import { youtube as facts } from "./facts.ts"
import { makeLooks, readState } from "./look.ts"
import { makeUpload } from "./media.ts"
import { encodePost, encodeSought, readUploads } from "./prepared.ts"
import { makeUploadCount } from "./quota.ts"
import { measure } from "./rules/text.ts"
import { makeSend, publicationOf } from "./send.ts"
import { phaseOf } from "./state.ts"
import { setThumbnail } from "./thumbnail.ts"

/**
 * Publishes in two phases. The upload makes a video that only its channel sees, under a title of its own, and its id is
 * stored. Then one request makes it what the post says. That request can be repeated while the video has its first
 * title, and makes no second video.
 */
export const makeYoutubeAdapter = (config: YoutubeConfig, call: Call): Effect.Effect<PlatformAdapter> =>
  Effect.map(makeUploadCount, (countUpload): PlatformAdapter => {
    const api = makeYoutubeApi(config, call)
    return {
      calls: api.calls,
      renew: api.renew,
      // Asking and repeating is safe, so looks are counted only after a day without an answer.
      maxReconcileAttempts: 12,
      upload: makeUpload(config, api, countUpload),
      preparesThere: true,
      prepare: Effect.fn("Youtube.prepare")(function* (request, account) {
        const { isSought = false, reply = null, settings } = request
        const {
          made_for_kids: isForChildren = false,
          privacy = "public",
          title = "",
          youtube_tags: tags = []
        } = settings.youtube ?? {}
        const text = isBlank(request.text) ? "" : request.text
        const uploads = yield* readUploads(request)
        yield* requireFit({ platform: facts.name, measure, unit: facts.textUnit }, request.text, true)
        if (reply !== null) {
          return yield* new Rejected({ message: "YouTube has no threads, so this part can't be posted there" })
        }
        if (isBlank(title)) return yield* new Rejected({ message: "YouTube needs a title for each video" })
        const { accountId } = account
        if (uploads !== undefined && uploads.accountId !== accountId) {
          return yield* new UploadsGone({ message: "The video of this post was uploaded to another channel" })
        }
        const audience = isForChildren ? ("children" as const) : ("general" as const)
        const post = { accountId, title: title.trim(), text, privacy, audience, tags, madeAt: yield* DateTime.now }
        if (uploads === undefined) {
          if (isSought) return encodeSought(post)
          return yield* new UploadsGone({ message: "The video of this post was not uploaded" })
        }
        const uploaded = { ...post, video: uploads.video, key: uploads.key }
        if (isSought) return encodePost(uploaded)
        const state = yield* readState(config, api, account, uploaded)
        switch (phaseOf(uploaded, state)) {
          case "missing":
            return yield* new UploadsGone({ message: "YouTube does not find the video of this post" })
          case "unusable":
            return yield* new Rejected({
              message: `YouTube can't show the video of this post (${state === "missing" ? "" : state.failure})`
            })
          case "out":
          case "changed":
            // It may have been visible, and its owner may have hidden it since.
            return yield* new OutcomeUnknown({
              message: `The video of this post has another title on YouTube than the service gave it, so it may have been published: ${publicationOf(config, uploads.video).url}`,
              conclusive: true
            })
          case "hidden":
            yield* setThumbnail(config, api, account, uploads.video, settings.youtube ?? {})
            return encodePost(uploaded)
        }
      }),
      send: makeSend(config),
      sendSpan: "Youtube.publish",
      ...makeLooks(config, api)
    }
  })
