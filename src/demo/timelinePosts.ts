import type { DateTime } from "effect"
import type { TargetId } from "../domain/ids.ts"
import type { LivePlatform } from "../domain/platform.ts"
import type { Publication } from "../domain/publishing/platformError.ts"
import { textFor } from "../domain/posts/postPlan.ts"
import type { Connections } from "../platforms/Connection.ts"
import { standIns } from "../platforms/standIns.ts"
import { deriveAccount } from "../sandbox/openStandIn.ts"
import { postOf, type SandboxPost } from "../sandbox/state/entry.ts"
import type { Example } from "./examples.ts"
import { pictures, sandboxFileId } from "./pictures.ts"

export const demoSeed = "demo"

interface PublishedExample {
  readonly platform: LivePlatform
  readonly at: DateTime.Utc
  readonly number: number
  readonly targetId: TargetId
}

export const timelinePost = (
  example: Example,
  { at, number, platform, targetId }: PublishedExample,
  platforms: Connections
): { readonly post: SandboxPost; readonly publication: Publication } => {
  const { card, content, overrides = {}, pictures: shown = [], settings } = example
  const standIn = standIns[platform]
  const post = postOf(deriveAccount(standIn, demoSeed), {
    at: at.epochMilliseconds,
    text: textFor(platform, { content, overrides }),
    ...standIn.example({ at: at.epochMilliseconds, number, targetId, settings, card }),
    ...(shown.length > 0 && {
      media: shown.map((name) => ({ id: sandboxFileId(name), type: "image", alt: pictures[name] }))
    }),
    example: true
  })
  const url = `${platforms[platform].webUrl}${standIn.postPath(post)}`
  return { post, publication: { platformPostId: standIn.identity(post), url } }
}
