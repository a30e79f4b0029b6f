import { Duration, Effect } from "effect"
import type { Server } from "node:https"
import { checkTlsPair, readTlsFiles, type TlsFiles, type TlsPair, type TlsPairError } from "./tlsPair.ts"
import { tlsProtocol } from "./tlsProtocol.ts"

/** How often the files are looked at: whatever way they are replaced in, on whatever file system, this finds it. */
const lookEvery = Duration.seconds(5)

/** Serves new connections with what the files hold, whenever that changes; a pair that can't be served with changes nothing. */
export const renewTls = Effect.fnUntraced(function* (server: Server, files: TlsFiles, first: TlsPair) {
  let seen = first
  let complaint = { message: "", looks: 0 }

  const look = Effect.gen(function* () {
    const pair = yield* readTlsFiles(files)
    const changed = pair.cert !== seen.cert || pair.key !== seen.key
    const validTo = changed ? yield* checkTlsPair(files, pair) : ""
    complaint = { message: "", looks: 0 }
    if (!changed) return
    server.setSecureContext({ ...tlsProtocol, ...pair })
    seen = pair
    yield* Effect.logInfo(`HTTPS is served with a new certificate, valid until ${validTo}`)
  })

  const complain = Effect.fnUntraced(function* ({ message }: TlsPairError) {
    complaint = { message, looks: message === complaint.message ? complaint.looks + 1 : 1 }
    // The first look may have come between the replacing of one file and of the other; of the others one is told.
    if (complaint.looks !== 2) return
    yield* Effect.logWarning(`HTTPS is still served with the former certificate; ${message}`)
  })

  const lookAgain = Effect.andThen(Effect.sleep(lookEvery), Effect.catchTag(look, "TlsPairError", complain))
  yield* Effect.forkScoped(Effect.forever(lookAgain))
})
