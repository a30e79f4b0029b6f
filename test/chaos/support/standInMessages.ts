import type { LivePlatform } from "../../../src/domain/platform.ts"

/** How the stand-in goes wrong; its own process is told as JSON. */
export interface StandInOptions {
  readonly seed: string
  readonly workspaces: number
  /** How probable each of the five faults is: 0.05 is a twentieth of the sends for each. */
  readonly faultRate: number
}

type When = "before_commit" | "after_commit"

/** What a send met at the stand-in. */
export type Met = "nothing" | "429" | `${"5xx" | "reset" | "hang"} ${When}`

/** An account on the stand-in, with credentials that it takes. */
export interface StandInAccount {
  readonly platform: LivePlatform
  readonly accountId: string
  readonly username: string
  readonly displayName: string | null
  readonly avatarUrl: string | null
  readonly serviceUrl: string | null
  readonly credentials: string
}

/** A post that stands on a timeline. */
export interface StandInPost {
  readonly platform: LivePlatform
  readonly accountId: string
  readonly id: string
  readonly text: string
  /** When it was taken, in milliseconds since 1970. */
  readonly at: number
}

/** A send that arrived, in the order of arrival. */
export interface StandInSend {
  readonly platform: LivePlatform
  readonly text: string
  readonly met: Met
}

export interface Ready {
  readonly _tag: "Ready"
  readonly url: string
  /** Those of one workspace together. */
  readonly accounts: ReadonlyArray<ReadonlyArray<StandInAccount>>
}

export interface Report {
  readonly _tag: "Report"
  readonly sends: ReadonlyArray<StandInSend>
  readonly posts: ReadonlyArray<StandInPost>
}

export type StandInMessage = Ready | Report
