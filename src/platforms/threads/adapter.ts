import { DateTime, Duration, Effect, Schema } from "effect"
import { isBlank } from "../../domain/plain/blankText.ts"
import type { Call } from "../call.ts"
import type { ThreadsConfig } from "./config.ts"
import type { PlatformAdapter } from "../PlatformClient.ts"
import { requireFit } from "../preparedPost.ts"
import { makeThreadsApi } from "./api.ts"
import { makeCreation } from "./create.ts"
import { threads as facts } from "./facts.ts"
import { filePause, kindOf, makeUpload, mediaOf, readUploads } from "./files.ts"
import { longestProcessing, makeLooks } from "./look.ts"
import { encodePost } from "./prepared.ts"
import { measure } from "./rules/text.ts"
import { makeSend } from "./send.ts"
import { ThreadsId } from "./syntax.ts"

/** The time between two questions about a container. Threads does not find that of a text at first. */
const pauses = { ...filePause, TEXT: Duration.seconds(3) }

const isId = Schema.is(ThreadsId)

/**
 * Publishes containers. A container is made first, which others can't see; its id is stored, and one request publishes
 * it. The container's state tells what became of that request.
 */
export const makeThreadsAdapter = (config: ThreadsConfig, call: Call): PlatformAdapter => {
  const api = makeThreadsApi(config, call)
  const creation = makeCreation(config, api)
  return {
    calls: api.calls,
    renew: api.renew,
    // The looks that are counted end after 20 minutes. Later ones wait for the end of the container.
    maxReconcileAttempts: 12,
    longestProcessing,
    upload: makeUpload(creation),
    preparesThere: true,
    prepare: Effect.fn("Threads.prepare")(function* (request, account) {
      const { begun = null, isSought = false, reply = null, settings, text } = request
      const uploads = yield* readUploads(request)
      yield* requireFit({ platform: "Threads", measure, unit: facts.textUnit }, text, uploads !== undefined)
      const post = { accountId: account.accountId, text }
      if (isSought) {
        const cid = reply?.parent.cid ?? null
        const known = cid !== null && isId(cid) ? { replyTo: cid } : {}
        return encodePost({ ...post, ...known, kind: kindOf(uploads), madeAt: yield* DateTime.now })
      }
      const { form, kind } = yield* mediaOf(uploads)
      const { reply_control, topic_tag } = settings.threads ?? {}
      const replyTo = yield* creation.parentOf(request, account)
      const wanted = Effect.map(form(account), ({ form: media, links }) => ({
        form: {
          ...media,
          ...(isBlank(text) ? {} : { text }),
          ...(replyTo === undefined ? {} : { reply_to_id: replyTo }),
          ...(reply_control === undefined ? {} : { reply_control }),
          ...(topic_tag === undefined ? {} : { topic_tag })
        },
        links
      }))
      const { container, madeAt } = yield* creation.ready(account, begun, wanted, pauses[kind])
      return encodePost({ ...post, kind, ...(replyTo === undefined ? {} : { replyTo }), container, madeAt })
    }),
    send: makeSend(config),
    ...makeLooks(config, api)
  }
}
