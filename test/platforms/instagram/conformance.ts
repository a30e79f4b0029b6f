import { instagram as facts } from "../../../src/platforms/instagram/facts.ts"
import { instagram as preview } from "../../../src/platforms/instagram/preview.ts"
import { encodePageAccess } from "../../../src/platforms/instagram/credentials.ts"
import { instagram, instagramByPages } from "../../../src/platforms/instagram/live.ts"
import { tokens } from "../../../src/platforms/instagram/tokens.ts"
import type { Conformance } from "../contract/conformance.ts"
import { containerConformance, obtainedAt } from "../meta/answers.ts"

const file = { hash: "a", contentType: "image/jpeg", size: 4, kind: "IMAGE", alt: "A cat" }
const video = { hash: "b", contentType: "video/mp4", size: 4, kind: "VIDEO", alt: "" }

const names = { status: "status_code", text: "caption", publish: "/media_publish" }

export const instagramConformance: Conformance = {
  ...containerConformance(instagram, names),
  facts,
  preview,
  accountId: "17841400000000009",
  credentials: tokens.encodeTokens({ accessToken: "token", obtainedAt }),
  renewed: [tokens.encodeTokens({ accessToken: "other token", obtainedAt })],
  always: { uploads: { file } },
  posts: {
    "a picture": {},
    "a carousel": {
      uploads: { children: ["17841400000000003", "17841400000000004"], madeAt: "2030-01-31T12:00:00.000Z" },
      settings: { instagram: { collaborators: ["acme", "@tea"] } }
    },
    "a reel": { uploads: { file: video }, settings: { instagram: { post_type: "reel", cover_at: "2.5" } } },
    "a story": { settings: { instagram: { post_type: "story" } } }
  }
}

const credentials = encodePageAccess({ accessToken: "token" })

/** An account that was connected through Facebook Login. Its token is not renewed. */
export const instagramPageConformance: Conformance = {
  ...instagramConformance,
  ...containerConformance({ ...instagram, ...instagramByPages }, names),
  posts: {
    ...instagramConformance.posts,
    // Containers of the other login are unknown to this one.
    "a carousel": {
      ...instagramConformance.posts["a carousel"],
      uploads: { children: ["17841400000000003"], madeAt: "2030-01-31T12:00:00.000Z", api: "facebook" }
    }
  },
  credentials,
  renewed: [credentials, encodePageAccess({ accessToken: "other token" })]
}
