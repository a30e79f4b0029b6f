import type { Redacted } from "effect"
import type { Html } from "../domain/html.ts"
import type { TargetId } from "../domain/ids.ts"
import type { LivePlatform } from "../domain/platform.ts"
import type { LinkCard } from "../domain/posts/linkCard.ts"
import type { PlatformSettings } from "../domain/posts/platformSettings.ts"
import type { Endpoint } from "./endpoint.ts"
import type { Files } from "./media/files.ts"
import type { ErrorFormat } from "./outcome.ts"
import type { Codes } from "./state/codes.ts"
import type { Grant, SandboxAccount, SandboxPost } from "./state/entry.ts"
import type { Renewal, Tokens } from "./state/tokens.ts"

/** The memory of a stand-in in addition to the state. */
export interface StandInMemory {
  readonly platform: LivePlatform
  readonly files: Files
  readonly codes: Codes
  readonly tokens: Tokens
  /** Returns the limit that applies in place of a platform's usual limit; the sandbox may have none. */
  readonly limit: (usual: number) => number
  readonly deriveAccount: (seed: string) => SandboxAccount
}

/** A page of OAuth 2.0. */
export interface ConsentPage {
  readonly path: `/${string}`
  readonly clientId: string
  /** A platform may need another application for some accounts. */
  readonly otherClientId?: string
  /** False if the platform takes no challenge. True by default. */
  readonly usesPkce?: false
  readonly allows: Html
}

export interface ExamplePost {
  readonly at: number
  /** Differs between examples. */
  readonly number: number
  readonly targetId: TargetId
  readonly settings: PlatformSettings | undefined
  readonly card: Omit<LinkCard, "thumb"> | undefined
}

export interface StandIn {
  readonly platform: LivePlatform
  /** The same seed gives the same account. */
  readonly account: (seed: string) => Pick<SandboxAccount, "id" | "username">
  /** The credentials as the service stores them. */
  readonly credentials: (grant: Grant) => Redacted.Redacted
  readonly renewal: Renewal
  readonly errorFormat: ErrorFormat
  readonly endpoints: (memory: StandInMemory) => ReadonlyArray<Endpoint>
  /** A path on the platform's site. */
  readonly postPath: (post: Pick<SandboxPost, "accountId" | "id" | "username">) => `/${string}`
  /** The patterns of other paths, if posts of some kinds have them. */
  readonly otherPostPaths?: ReadonlyArray<`/${string}`>
  /** A post's name in its replies, and in the platform's answers to the service. */
  readonly identity: (post: Pick<SandboxPost, "accountId" | "id">) => string
  /** With links, mentions and hashtags highlighted. */
  readonly text: (post: SandboxPost) => ReadonlyArray<Html>
  /** Notes for people, by a post's `replySettings`. */
  readonly replyNotes?: Readonly<Record<string, string>>
  readonly consent?: ConsentPage
  /** The page of another way to connect an account. */
  readonly otherConsent?: ConsentPage
  /** Explains how to connect another account. */
  readonly hint: Html
  /** The platform's color on the pages, if it differs from the text's. */
  readonly dot?: { readonly light: string; readonly dark: string }
  /** The platform's own members of an example post. */
  readonly example: (
    example: ExamplePost
  ) => Pick<SandboxPost, "id"> & Partial<Pick<SandboxPost, "card" | "replySettings">>
}
