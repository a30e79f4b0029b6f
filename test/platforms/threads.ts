import { DateTime, Effect } from "effect"
import { sendPost } from "../../src/platforms/carryOut.ts"
import type { TargetId } from "../../src/domain/ids.ts"
import type { Publication } from "../../src/domain/publishing/platformError.ts"
import type { RepliedPost, Reply } from "../../src/domain/publishing/reply.ts"
import type { Account, PlatformAdapter, PublishRequest } from "../../src/platforms/PlatformClient.ts"

const replied = ({ cid = null, platformPostId }: Publication): RepliedPost => ({
  platformPostId: platformPostId ?? "",
  cid
})

/** A reply to a post that was just published, in the thread that begins with `root`. */
export const replyTo = (parent: Publication, root: Publication = parent): Effect.Effect<Reply> =>
  Effect.map(DateTime.now, (parentAt) => ({ root: replied(root), parent: replied(parent), parentAt }))

/** The parts of a target, each prepared as a reply to the previous part. */
export const makeThread = (adapter: PlatformAdapter, account: Account, targetId: TargetId) => {
  const prepare = (text: string, reply: Reply | null, more: Partial<PublishRequest> = {}) =>
    adapter.prepare({ targetId, text, settings: {}, reply, ...more }, account)
  /** Publishes parts one after another. `parts` are the published parts. */
  const publish = Effect.fnUntraced(function* (texts: ReadonlyArray<string>, parts: ReadonlyArray<Publication> = []) {
    const out = [...parts]
    for (const text of texts) {
      const [root] = out
      const parent = out.at(-1)
      const reply = parent === undefined ? null : yield* replyTo(parent, root)
      const prepared = yield* prepare(text, reply, { part: out.length + 1 })
      out.push(yield* sendPost(adapter, prepared, account))
    }
    return out
  })
  return { prepare, publish }
}
