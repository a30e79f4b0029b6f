import { DateTime, Duration, Effect, Schema } from "effect"
import { isBlank } from "../../domain/plain/blankText.ts"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import type { PlatformError, UploadsGone } from "../../domain/publishing/platformError.ts"
import type { Call } from "../call.ts"
import { makeMetaApi } from "../meta/api.ts"
import { makeCreation, type Wanted } from "../meta/create.ts"
import {
  filePause,
  formWithChildren,
  formWithFile,
  makeReadUploads,
  makeUpload,
  type MetaUploads
} from "../meta/files.ts"
import { makeLooks } from "../meta/look.ts"
import { makeSend } from "../meta/send.ts"
import { MetaId } from "../meta/syntax.ts"
import type { AccountAccess, PlatformAdapter } from "../PlatformClient.ts"
import { requireFit } from "../preparedPost.ts"
import type { ThreadsConfig } from "./config.ts"
import { encodePost, fileForm, type Kind, threadsDialect } from "./dialect.ts"
import { threads as facts } from "./facts.ts"
import { makeParentOf } from "./parent.ts"
import { measure } from "./rules/text.ts"

/** The time between two questions about a container. Threads does not find that of a text at first. */
const pauses = { ...filePause, TEXT: Duration.seconds(3) }

const isId = Schema.is(MetaId)

const readUploads = makeReadUploads(facts.name)

const kindOf = (uploads: MetaUploads | undefined): Kind =>
  uploads === undefined ? "TEXT" : "file" in uploads ? uploads.file.kind : "CAROUSEL"

/**
 * Publishes containers. A container is made first, which others can't see; its id is stored, and one request publishes
 * it. The container's state tells what became of that request.
 */
export const makeThreadsAdapter = (config: ThreadsConfig, call: Call): PlatformAdapter => {
  const dialect = threadsDialect(config)
  const api = makeMetaApi(dialect, call)
  const creation = makeCreation(dialect, api)
  const parentOf = makeParentOf(dialect, api)

  /** The form of a container without the text. */
  const mediaForm = (
    account: AccountAccess,
    uploads: MetaUploads | undefined
  ): Effect.Effect<Wanted, PlatformError | UploadsGone | DatabaseUnavailable> => {
    if (uploads === undefined) return Effect.succeed({ form: { media_type: "TEXT" }, links: [] })
    return "file" in uploads
      ? formWithFile(account, uploads.file, (url) => fileForm(uploads.file, url))
      : formWithChildren(dialect, uploads, account)
  }

  return {
    calls: api.calls,
    renew: api.renew,
    // Looks are counted only once the container has ended, and its state still is not known.
    maxReconcileAttempts: 12,
    upload: makeUpload(dialect, creation),
    preparesThere: true,
    prepare: Effect.fn("Threads.prepare")(function* (request, account) {
      const { begun = null, isSought = false, reply = null, settings, text } = request
      const uploads = yield* readUploads(request)
      yield* requireFit({ platform: "Threads", measure, unit: facts.textUnit }, text, uploads !== undefined)
      const post = { accountId: account.accountId, text }
      const kind = kindOf(uploads)
      if (isSought) {
        const cid = reply?.parent.cid ?? null
        const known = cid !== null && isId(cid) ? { replyTo: cid } : {}
        const files = uploads === undefined ? {} : { kind }
        return encodePost({ ...post, ...known, ...files, madeAt: yield* DateTime.now })
      }
      const { reply_control, topic_tag } = settings.threads ?? {}
      const replyTo = yield* parentOf(request, account)
      const wanted = Effect.map(mediaForm(account, uploads), ({ form: media, links }) => ({
        form: {
          ...media,
          ...(isBlank(text) ? {} : { text }),
          ...(replyTo === undefined ? {} : { reply_to_id: replyTo }),
          ...(reply_control === undefined ? {} : { reply_control }),
          ...(topic_tag === undefined ? {} : { topic_tag })
        },
        links
      }))
      const { container, madeAt } = yield* creation.ready(account, begun, () => wanted, pauses[kind])
      return encodePost({ ...post, kind, ...(replyTo === undefined ? {} : { replyTo }), container, madeAt })
    }),
    send: makeSend(dialect),
    ...makeLooks(dialect, api)
  }
}
