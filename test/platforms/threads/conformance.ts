import { threads as facts } from "../../../src/platforms/threads/facts.ts"
import { threads as preview } from "../../../src/platforms/threads/preview.ts"
import { threads } from "../../../src/platforms/threads/live.ts"
import { tokens } from "../../../src/platforms/threads/tokens.ts"
import { type Conformance, now } from "../contract/conformance.ts"
import { containerConformance, media, obtainedAt } from "../meta/answers.ts"

const replied = { platformPostId: "DAbCdEfGhIj", cid: media }

export const threadsConformance: Conformance = {
  ...containerConformance(threads, { status: "status", text: "text", publish: "/threads_publish" }),
  facts,
  preview,
  accountId: "26841400000000001",
  credentials: tokens.encodeTokens({ accessToken: "token", obtainedAt }),
  renewed: [tokens.encodeTokens({ accessToken: "other token", obtainedAt })],
  posts: {
    "a text": {},
    "a reply": { part: 2, reply: { root: replied, parent: replied, parentAt: now } },
    "a post that some may reply to": { settings: { threads: { reply_control: "followers_only", topic_tag: "tea" } } }
  }
}
