import { createServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { DateTime, Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpClient, type HttpClientRequest, HttpRouter, HttpServer } from "effect/http"
import { TestClock } from "effect/testing"
import { makeCall } from "../../../src/platforms/call.ts"
import { makeFiles } from "../../../src/sandbox/media/files.ts"
import { serveStandIn } from "../../../src/sandbox/serveStandIn.ts"
import { type CallKind, type Fault, makeFaults } from "../../../src/sandbox/state/faults.ts"
import { memoryJournal } from "../../../src/sandbox/state/journal.ts"
import { makeStore } from "../../../src/sandbox/state/store.ts"
import type { DatabaseUnavailable } from "../../../src/domain/errors.ts"
import type { PlatformError, Preparing, UploadsGone } from "../../../src/domain/publishing/platformError.ts"
import type { Account, Prepared, PublishRequest } from "../../../src/platforms/PlatformClient.ts"
import { start, storedAccount, targetId } from "../world.ts"
import { type Conformance, sharedFiles } from "./conformance.ts"

/** A platform's stand-in as a server, an account, and an adapter whose requests are recorded. */
export const standInWorld = Effect.fnUntraced(function* ({
  adapterAt,
  always,
  facts,
  linkAt,
  standIn,
  storedAs,
  uploadsOf
}: Conformance) {
  yield* TestClock.setTime(DateTime.toEpochMillis(start))
  const random = yield* SecureRandom.SecureRandom
  const scope = yield* Effect.scope
  const store = yield* makeStore(memoryJournal)
  const faults = yield* makeFaults
  const { connect, consent, routes } = serveStandIn(
    { faults, files: makeFiles(1_000_000), limit: (usual) => usual, random, scope, store },
    { ...standIn, platform: storedAs }
  )
  const server = yield* NodeHttpServer.make(createServer, { port: 0, host: "127.0.0.1", gracefulShutdownTimeout: 0 })
  yield* server.serve(yield* HttpRouter.toHttpEffect(HttpRouter.addAll(routes)))
  const url = HttpServer.formatAddress(server.address)

  const requests: Array<HttpClientRequest.HttpClientRequest> = []
  const call = makeCall(yield* HttpClient.HttpClient, facts.name)
  const adapter = adapterAt(url, (request) =>
    Effect.suspend(() => {
      requests.push(request)
      return call(request)
    })
  )
  const { account: owner, grant } = yield* connect("team")
  const { account: stored } = yield* storedAccount({
    accountId: owner.id,
    username: owner.username,
    displayName: owner.displayName,
    avatarUrl: null,
    serviceUrl: null,
    credentials: standIn.credentials(grant)
  })
  const account: Account = { ...stored, files: sharedFiles }
  const uploadsIn = ({ part = 1 }: Partial<PublishRequest>) =>
    uploadsOf === undefined ? {} : { uploads: uploadsOf(part) }
  /** Prepares a post. Waits while the platform makes something first. */
  const prepare = (
    more: Partial<PublishRequest> = {},
    by: Account = account
  ): Effect.Effect<Prepared, PlatformError | Preparing | UploadsGone | DatabaseUnavailable> =>
    adapter
      .prepare({ targetId, text: "Hello", settings: {}, ...always, ...uploadsIn(more), ...more }, by)
      .pipe(
        Effect.catchTag("Preparing", ({ askAfter, begun }) =>
          Effect.andThen(TestClock.adjust(askAfter), prepare({ ...more, begun }, by))
        )
      )
  return {
    adapter,
    account,
    prepare,
    link: linkAt(url),
    /** Ends all access that accounts have granted. */
    withdraw: store.transact((state) => ({
      entries: state.families(storedAs).map((family) => ({ _tag: "Revoked" as const, family })),
      result: undefined
    })),
    /** Gives an application access to the account "team". Returns the authorization code. */
    consent: (challenge: string, redirectUri: string) => consent("team", { challenge, redirectUri }),
    /** All requests so far. */
    requests,
    /** The number of accepted posts, including posts that replaced another. */
    accepted: store.read((state) => state.accepted(storedAs)),
    fail: (fault: Fault, call: CallKind, times: number) => faults.add({ platform: storedAs, call, fault, times }),
    /** Waits until a call fails. */
    met: faults.met,
    recover: faults.clear
  }
})
