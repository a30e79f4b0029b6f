import { Config, type Effect } from "effect"
import { metaApplication } from "../meta/config.ts"
import { facebook } from "./facts.ts"

export const facebookConfig = Config.map(metaApplication, (application) => ({
  ...application,
  /** The site with the posts. */
  webUrl: facebook.site
}))
export type FacebookConfig = Effect.Success<typeof facebookConfig>
