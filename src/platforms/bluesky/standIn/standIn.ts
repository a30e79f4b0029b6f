import { Duration } from "effect"
import { html } from "../../../domain/html.ts"
import type { StandIn } from "../../../sandbox/StandIn.ts"
import { handleOf, hashName } from "../../../sandbox/state/names.ts"
import { recordKey } from "../postRecord.ts"
import { encodeSession } from "../session.ts"
import { makeBlobs } from "./blobs.ts"
import { recordText } from "./recordText.ts"
import { pdsRepository } from "./repository.ts"
import { pdsErrorFormat } from "./responses.ts"
import { pdsSessions, sandboxAppPassword } from "./sessions.ts"
import { videoService } from "./videos.ts"

/** An AT Protocol PDS and Bluesky's video service. */
export const blueskyStandIn: StandIn = {
  platform: "bluesky",
  account: (seed) => ({
    id: `did:plc:${hashName(`bluesky ${seed}`, 24)}`,
    username: `${handleOf(seed)}.sandbox.test`
  }),
  credentials: ({ access, refresh }) => encodeSession({ accessJwt: access, refreshJwt: refresh, pdsUrl: null }),
  renewal: { lifetime: Duration.toMillis(Duration.days(90)), reusableFor: Duration.toMillis(Duration.hours(2)) },
  errorFormat: pdsErrorFormat,
  endpoints: (memory) => {
    const blobs = makeBlobs(memory.files)
    return [...pdsRepository(memory, blobs), ...videoService(blobs), ...pdsSessions(memory)]
  },
  postPath: ({ accountId, id }) => `/profile/${accountId}/post/${id}`,
  identity: ({ accountId, id }) => `at://${accountId}/app.bsky.feed.post/${id}`,
  text: recordText,
  hint: html`To connect another Bluesky account, take any handle <code>NAME.sandbox.test</code> with the app password <code>${sandboxAppPassword}</code>.`,
  dot: { light: "#0a7aff", dark: "#4a9dff" },
  example: ({ card, targetId }) => ({
    id: recordKey(targetId),
    ...(card !== undefined && { card: { ...card, thumb: null } })
  })
}
