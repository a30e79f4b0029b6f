import { DateTime, Effect, Option, Schema } from "effect"
import { isBlank } from "../../domain/plain/blankText.ts"
import { Rejected, Unavailable, UploadsGone } from "../../domain/publishing/platformError.ts"
import { type Call, readResponse } from "../call.ts"
import { problemOf } from "../meta/problem.ts"
import { makeUsage } from "../meta/usage.ts"
import { failAt } from "../outcome.ts"
import type { AccountAccess, PlatformAdapter } from "../PlatformClient.ts"
import { requireFit } from "../preparedPost.ts"
import { formTo, isDone, makeFacebookApi } from "./api.ts"
import type { FacebookConfig } from "./config.ts"
import { facebook as facts } from "./facts.ts"
import { longestProcessing, makeLooks } from "./look.ts"
import { makeUpload } from "./media.ts"
import { encodePost, type FacebookUploads, readUploads } from "./prepared.ts"
import { isLinkRefused, isNotVisible, refusedIdly } from "./problem.ts"
import { firstLink } from "./rules/rules.ts"
import { measure } from "./rules/text.ts"
import { makeSend } from "./send.ts"
import { PostId } from "./syntax.ts"

const readCreated = readResponse(Schema.Struct({ id: PostId }))

/**
 * Publishes in two phases. `prepare` makes a post that nobody sees, and its id is stored. Then one request makes it
 * visible, which can be repeated: after a lost answer, the post's own state decides.
 */
export const makeFacebookAdapter = (config: FacebookConfig, call: Call): Effect.Effect<PlatformAdapter> =>
  Effect.map(makeUsage, (usage): PlatformAdapter => {
    const api = makeFacebookApi(call, usage)

    /** Creates the unpublished post. A link of which Facebook can make no card stays in the text alone. */
    const create = Effect.fn("Facebook.createPost")(function* (
      account: AccountAccess,
      text: string,
      { photos }: Pick<FacebookUploads, "photos">
    ) {
      const form = {
        published: "false",
        ...(isBlank(text) ? {} : { message: text }),
        ...(photos.length === 0 ? {} : { attached_media: JSON.stringify(photos.map((id) => ({ media_fbid: id }))) })
      }
      const link = photos.length === 0 ? firstLink(text) : undefined
      const send = (more: { readonly link?: string }) =>
        api.ask(account, formTo(config, `/${account.accountId}/feed`, { ...form, ...more }))
      const first = yield* send(link === undefined ? {} : { link })
      const refusal = problemOf(first)
      const response = link !== undefined && refusal !== undefined && isLinkRefused(refusal) ? yield* send({}) : first
      const created = response.status === 200 ? readCreated(response) : Option.none()
      if (Option.isSome(created)) return created.value.id
      const problem = problemOf(response)
      if (photos.length > 0 && problem !== undefined && isNotVisible(problem)) {
        return yield* new UploadsGone({ message: `Facebook does not find a photo of this post: ${problem.detail}` })
      }
      return yield* failAt((now) =>
        response.status === 200
          ? new Unavailable({ message: "Facebook did not say what it made" })
          : refusedIdly(response, now)
      )
    })

    /** Gives an unpublished video its text. */
    const describe = Effect.fn("Facebook.describeVideo")(function* (
      account: AccountAccess,
      video: string,
      text: string
    ) {
      yield* usage.check("Facebook", account)
      const response = yield* api.ask(account, formTo(config, `/${video}`, { description: text }))
      if (isDone(response)) return
      const problem = problemOf(response)
      if (problem !== undefined && isNotVisible(problem)) {
        return yield* new UploadsGone({ message: `Facebook does not find the video of this post: ${problem.detail}` })
      }
      return yield* failAt((now) =>
        response.status === 200
          ? new Unavailable({ message: "Facebook did not say if it took the text of a video" })
          : refusedIdly(response, now)
      )
    })

    return {
      calls: api.calls,
      renew: api.renew,
      postLimits: api.postLimits,
      // Asking and repeating is safe, so looks are counted only after a day without an answer.
      maxReconcileAttempts: 12,
      longestProcessing,
      upload: makeUpload(config, api, usage),
      preparesThere: true,
      prepare: Effect.fn("Facebook.prepare")(function* (request, account) {
        const { isSought = false, reply = null, text } = request
        const uploads = yield* readUploads(request)
        yield* requireFit({ platform: "Facebook", measure, unit: facts.textUnit }, text, uploads !== undefined)
        if (reply !== null) {
          return yield* new Rejected({ message: "Facebook has no threads, so this part can't be posted there" })
        }
        const { accountId } = account
        if (uploads !== undefined && uploads.accountId !== accountId) {
          return yield* new UploadsGone({ message: "The files of this post were uploaded to another Page" })
        }
        const madeAt = yield* DateTime.now
        if (uploads !== undefined && "pageVideo" in uploads) {
          const { pageVideo } = uploads
          if (!isSought) yield* describe(account, pageVideo, text)
          return encodePost({ accountId, text, photos: [], pageVideo, madeAt })
        }
        const { photos = [], video } = uploads ?? {}
        const post = { accountId, text, photos, madeAt }
        if (video !== undefined) return encodePost({ ...post, video })
        if (isSought) return encodePost(post)
        yield* usage.check("Facebook", account)
        return encodePost({ ...post, post: yield* create(account, text, { photos }) })
      }),
      send: makeSend(config),
      sendSpan: "Facebook.publish",
      ...makeLooks(config, api)
    }
  })
