import { DateTime, Duration, Effect, Schema } from "effect"
import { Rejected } from "../../domain/publishing/platformError.ts"
import type { Call } from "../call.ts"
import type { ThreadsConfig } from "./config.ts"
import type { PlatformAdapter } from "../PlatformClient.ts"
import { requireFit } from "../preparedPost.ts"
import { makeThreadsApi } from "./api.ts"
import { makeCreation } from "./create.ts"
import { threads as facts } from "./facts.ts"
import { longestProcessing, makeLooks } from "./look.ts"
import { encodePost } from "./prepared.ts"
import { measure } from "./rules/text.ts"
import { makeSend } from "./send.ts"
import { ThreadsId } from "./syntax.ts"

/** Threads does not find a text's container at first. */
const textPause = Duration.seconds(3)

const isId = Schema.is(ThreadsId)

/**
 * Publishes containers. A container is made first, which others can't see; its id is stored, and one request publishes
 * it. The container's state tells what became of that request.
 */
export const makeThreadsAdapter = (config: ThreadsConfig, call: Call): PlatformAdapter => {
  const api = makeThreadsApi(config, call)
  const { parentOf, ready } = makeCreation(config, api)
  return {
    calls: api.calls,
    renew: api.renew,
    // The looks that are counted end after 20 minutes. Later ones wait for the end of the container.
    maxReconcileAttempts: 12,
    longestProcessing,
    upload: () => new Rejected({ message: "This version sends no files to Threads" }),
    preparesThere: true,
    prepare: Effect.fn("Threads.prepare")(function* (request, account) {
      const { begun = null, isSought = false, reply = null, settings, text } = request
      yield* requireFit({ platform: "Threads", measure, unit: facts.textUnit }, text, false)
      const post = { accountId: account.accountId, text, kind: "TEXT" as const }
      if (isSought) {
        const cid = reply?.parent.cid ?? null
        const known = cid !== null && isId(cid) ? { replyTo: cid } : {}
        return encodePost({ ...post, ...known, madeAt: yield* DateTime.now })
      }
      const { reply_control, topic_tag } = settings.threads ?? {}
      const replyTo = yield* parentOf(request, account)
      const form = Effect.succeed({
        media_type: post.kind,
        text,
        ...(replyTo === undefined ? {} : { reply_to_id: replyTo }),
        ...(reply_control === undefined ? {} : { reply_control }),
        ...(topic_tag === undefined ? {} : { topic_tag })
      })
      const { container, madeAt } = yield* ready(account, begun, form, textPause)
      return encodePost({ ...post, ...(replyTo === undefined ? {} : { replyTo }), container, madeAt })
    }),
    send: makeSend(config),
    ...makeLooks(config, api)
  }
}
