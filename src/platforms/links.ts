import { livePlatforms, type LivePlatform } from "../domain/plain/platforms.ts"
import { liveFacts } from "./facts.ts"
import type { Link } from "./Link.ts"

type LinkedBy<Kind extends Link["kind"]> = {
  [Each in LivePlatform]: (typeof liveFacts)[Each]["link"]["kind"] extends Kind ? Each : never
}[LivePlatform]
export type FormPlatform = LinkedBy<"form">
export type ConsentPlatform = LinkedBy<"consent">

const isLinkedBy =
  <Kind extends Link["kind"]>(kind: Kind) =>
  (platform: LivePlatform): platform is LinkedBy<Kind> =>
    liveFacts[platform].link.kind === kind

export const formPlatforms = livePlatforms.filter(isLinkedBy("form"))
export const consentPlatforms = livePlatforms.filter(isLinkedBy("consent"))
