import { DateTime, Effect } from "effect"
import { type PlatformError, Rejected, type UploadsGone } from "../../domain/publishing/platformError.ts"
import type { Call } from "../call.ts"
import { makeMetaApi } from "../meta/api.ts"
import { makeCreation, type Wanted } from "../meta/create.ts"
import { filePause, formWithChildren, formWithFile, makeReadUploads, makeUpload } from "../meta/files.ts"
import { makeLooks } from "../meta/look.ts"
import { makeSend } from "../meta/send.ts"
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

/** Publishes containers, as on Threads: the state of a container tells what became of its publication. */
export const makeInstagramAdapter = (config: InstagramConfig, call: Call): PlatformAdapter => {
  const dialect = instagramDialect(config)
  const api = makeMetaApi(dialect, call)
  const creation = makeCreation(dialect, api)
  const requireQuota = makeRequireQuota(dialect, api)
  return {
    calls: api.calls,
    renew: api.renew,
    // Looks are counted only once the container has ended, and its state still is not known.
    maxReconcileAttempts: 12,
    upload: makeUpload(dialect, creation),
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
      if (begun === null) yield* requireQuota(account)
      const media: Effect.Effect<Wanted, PlatformError | UploadsGone> =
        "file" in uploads
          ? formWithFile(account, uploads.file, (url) => fileForm(kind, uploads.file, url, settings))
          : formWithChildren(dialect, uploads)
      const wanted = Effect.map(media, ({ form, links }) => ({ form: { ...form, ...postForm(text, settings) }, links }))
      const pause = "file" in uploads ? filePause[uploads.file.kind] : filePause.CAROUSEL
      const { container, madeAt } = yield* creation.ready(account, begun, wanted, pause)
      return encodePost({ ...post, kind, container, madeAt })
    }),
    send: makeSend(dialect),
    ...makeLooks(dialect, api)
  }
}
