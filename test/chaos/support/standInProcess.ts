import { Deferred, Effect, Semaphore } from "effect"
import { fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { LivePlatform } from "../../../src/domain/platform.ts"
import { shorterWaits } from "./replica.ts"

/** The options of the stand-in. Its process gets them as JSON. */
export interface StandInOptions {
  readonly seed: string
  readonly workspaces: number
  /** The factor by which the stand-in's own waits are shortened, as the service's are. */
  readonly pace: number
  /** The probability of each of the five faults. */
  readonly faultRate: number
  /** The probability that X can't find a post for some seconds when another post replies to it; 0 by default. */
  readonly unseenRate?: number
  /** The lock file of a PostgreSQL to crash, every few seconds, when X gets a post for the first time. */
  readonly crashing?: string
  /** The response time of requests that upload a file, in milliseconds; 0 by default. */
  readonly uploadDelay?: number
  /** The response time of X's token endpoint, in milliseconds; 0 by default. */
  readonly renewalDelay?: number
  /** True if the accounts' access tokens for X have already expired. */
  readonly accessEnded?: boolean
}

type When = "before_commit" | "after_commit"

/** The fault that the stand-in injected into a send. */
export type InjectedFault =
  | "nothing"
  | "429"
  | "crash after_commit"
  | "error after_commit"
  | "whims"
  | `${"5xx" | "reset" | "hang"} ${When}`

/** An account on the stand-in, with valid credentials. */
export interface StandInAccount {
  readonly platform: LivePlatform
  readonly accountId: string
  readonly username: string
  readonly displayName: string | null
  readonly avatarUrl: string | null
  readonly serviceUrl: string | null
  readonly credentials: string
}

/** A post on a timeline. */
export interface StandInPost {
  readonly platform: LivePlatform
  readonly accountId: string
  readonly id: string
  readonly text: string
  readonly files: number
  /** The container that it was published from; null on platforms without containers. */
  readonly container: string | null
  /** The time when the stand-in accepted it, in milliseconds since 1970. */
  readonly at: number
  /** The posts that it replies to, by their names on the platform, such as the URIs of records on Bluesky. */
  readonly reply: { readonly root: string; readonly parent: string } | null
}

/** A send that arrived at the stand-in. */
export interface StandInSend {
  readonly platform: LivePlatform
  readonly text: string
  readonly fault: InjectedFault
  /** The time of arrival, in milliseconds since 1970. */
  readonly at: number
}

export interface Ready {
  readonly _tag: "Ready"
  readonly url: string
  /** By workspace. */
  readonly accounts: ReadonlyArray<ReadonlyArray<StandInAccount>>
}

export interface Report {
  readonly _tag: "Report"
  /** In the order of arrival. */
  readonly sends: ReadonlyArray<StandInSend>
  readonly posts: ReadonlyArray<StandInPost>
  /** The requests that uploaded files, such as `PUT /upload`, in the order of arrival. */
  readonly uploads: ReadonlyArray<string>
  /** The refresh tokens that X's token endpoint got, in the order of arrival. */
  readonly refreshTokens: ReadonlyArray<string>
}

export type StandInMessage = Ready | Report

const script = fileURLToPath(new URL("standIn.ts", import.meta.url))

/**
 * Starts the stand-in for all platforms as a separate process, which outlives the replicas and records the posts that
 * it accepts.
 */
export const standInProcess = Effect.fn("standInProcess")(function* (options: StandInOptions) {
  const ready = yield* Deferred.make<Ready>()
  let report = yield* Deferred.make<Report>()
  const asking = yield* Semaphore.make(1)
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      fork(script, [JSON.stringify(options)], {
        execArgv: ["--import", shorterWaits],
        env: { ...process.env, CHAOS_PACE: String(options.pace) },
        stdio: ["ignore", "inherit", "inherit", "ipc"]
      })
    ),
    (started) => Effect.sync(() => started.kill("SIGKILL"))
  )
  child.on("message", (message: StandInMessage) => {
    if (message._tag === "Ready") Deferred.doneUnsafe(ready, Effect.succeed(message))
    else Deferred.doneUnsafe(report, Effect.succeed(message))
  })
  child.once("exit", (code) => Deferred.doneUnsafe(ready, Effect.die(new Error(`The stand-in exited with ${code}`))))
  const { accounts, url } = yield* Deferred.await(ready)
  return {
    accounts,
    url,
    /** Returns all sends that arrived, and all posts on the timelines. */
    report: Effect.gen(function* () {
      report = yield* Deferred.make<Report>()
      child.send("report")
      return yield* Deferred.await(report)
    }).pipe(asking.withPermits(1))
  }
})
