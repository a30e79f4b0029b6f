import { DateTime, Effect } from "effect"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import { type PlatformError, Rejected, type UploadsGone } from "../../domain/publishing/platformError.ts"
import type { Call } from "../call.ts"
import { makeMetaApi } from "../meta/api.ts"
import { makeCreation, type Wanted } from "../meta/create.ts"
import { filePause, formWithChildren, formWithFile, makeReadUploads, makeUpload } from "../meta/files.ts"
import { makeLooks } from "../meta/look.ts"
import { makeSend } from "../meta/send.ts"
import { makeUsage } from "../meta/usage.ts"
import type { PlatformAdapter } from "../PlatformClient.ts"
import { requireFit } from "../preparedPost.ts"
import type { InstagramConfig } from "./config.ts"
import { encodePost, instagramDialect } from "./dialect.ts"
import { instagram as facts } from "./facts.ts"
import { captionOf, fileForm, kindOf, postForm } from "./form.ts"
import { instagram as preview } from "./preview.ts"
import { makeRequireQuota } from "./quota.ts"
import { measure } from "./rules/text.ts"

const readUploads = makeReadUploads(facts.name)

/** After this many containers whose video's bytes did not get there, Instagram fetches the video. */
const bytesTries = 2

/** Publishes containers, as on Threads: the state of a container tells what became of its publication. */
export const makeInstagramAdapter = (config: InstagramConfig, call: Call): Effect.Effect<PlatformAdapter> =>
  Effect.map(makeUsage, (usage): PlatformAdapter => {
    const dialect = instagramDialect(config)
    const api = makeMetaApi(dialect, call, usage)
    const creation = makeCreation(dialect, api)
    const upload = makeUpload(dialect, creation)
    const requireQuota = makeRequireQuota(api)
    return {
      calls: api.calls,
      renew: api.renew,
      postLimits: api.postLimits,
      // Looks are counted only once the container has ended, and its state still is not known.
      maxReconcileAttempts: 12,
      upload: (files, account, begun) =>
        Effect.andThen(begun === null ? usage.check(facts.name, account) : Effect.void, upload(files, account, begun)),
      preparesThere: true,
      prepare: Effect.fn("Instagram.prepare")(function* (request, account) {
        const { begun = null, isSought = false, text } = request
        const settings = request.settings.instagram ?? {}
        const uploads = yield* readUploads(request)
        const kind = kindOf(uploads, settings)
        const post = { accountId: account.accountId, text: captionOf(text, settings) }
        const shown = preview.showsText(settings) ? text : ""
        yield* requireFit({ platform: facts.name, measure, unit: facts.textUnit }, shown, true)
        if (isSought) {
          const known = uploads === undefined && kind !== "STORY" ? {} : { kind }
          return encodePost({ ...post, ...known, madeAt: yield* DateTime.now })
        }
        if (uploads === undefined) {
          return yield* new Rejected({ message: "Instagram accepts no post without a picture or a video" })
        }
        if (kind === "STORY" && "children" in uploads) {
          return yield* new Rejected({ message: "Instagram accepts one file in a story" })
        }
        if (begun === null) {
          yield* usage.check(facts.name, account)
          yield* requireQuota(account)
        }
        const { uploadUrl } = yield* Effect.fromResult(dialect.readAccess(yield* account.credentials.current))
        const media = (tries: number): Effect.Effect<Wanted, PlatformError | UploadsGone | DatabaseUnavailable> => {
          if ("children" in uploads) return formWithChildren(dialect, uploads, account)
          const { file } = uploads
          return file.kind === "VIDEO" && uploadUrl !== undefined && tries <= bytesTries
            ? Effect.succeed({ form: fileForm(kind, file, undefined, settings), links: [], bytes: { file, uploadUrl } })
            : formWithFile(account, file, (url) => fileForm(kind, file, url, settings))
        }
        const wanted = (tries: number) =>
          Effect.map(media(tries), ({ form, ...rest }) => ({
            form: { ...form, ...postForm(text, settings) },
            ...rest
          }))
        const pause = "file" in uploads ? filePause[uploads.file.kind] : filePause.CAROUSEL
        const { container, madeAt } = yield* creation.ready(account, begun, wanted, pause)
        return encodePost({ ...post, kind, container, madeAt })
      }),
      send: makeSend(dialect),
      ...makeLooks(dialect, api)
    }
  })
