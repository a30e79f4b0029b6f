import { Duration, Effect, FileSystem, Schema } from "effect"
import { constants, createPrivateKey, X509Certificate } from "node:crypto"
import type { Server } from "node:https"
import { createSecureContext } from "node:tls"

export interface TlsFiles {
  /** The certificate, then its chain up to a known authority. */
  readonly certFile: string
  /** A key without a passphrase. */
  readonly keyFile: string
}

/** The message is one line that names the setting. */
export class TlsPairError extends Schema.TaggedError<TlsPairError>()("TlsPairError", { message: Schema.String }) {}

export interface TlsPair {
  readonly cert: string
  readonly key: string
}

/** TLS 1.2 or later. TLS 1.2 only with ciphers that have forward secrecy and authenticated encryption (AEAD). */
export const tlsProtocol = {
  minVersion: "TLSv1.2",
  ciphers: [
    "TLS_AES_128_GCM_SHA256",
    "TLS_AES_256_GCM_SHA384",
    "TLS_CHACHA20_POLY1305_SHA256",
    "ECDHE-ECDSA-AES128-GCM-SHA256",
    "ECDHE-RSA-AES128-GCM-SHA256",
    "ECDHE-ECDSA-AES256-GCM-SHA384",
    "ECDHE-RSA-AES256-GCM-SHA384",
    "ECDHE-ECDSA-CHACHA20-POLY1305",
    "ECDHE-RSA-CHACHA20-POLY1305"
  ].join(":"),
  // Renegotiation is refused, because it costs the server far more than the client (denial of service).
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION
} as const

const readErrors: Readonly<Record<string, string>> = {
  NotFound: "there is no such file",
  PermissionDenied: "this user may not read it",
  BadResource: "it is a directory"
}

const read = (variable: string, file: string) =>
  FileSystem.FileSystem.use((files) => files.readFileString(file)).pipe(
    Effect.mapError(
      ({ reason }) =>
        new TlsPairError({ message: `${variable}: ${file}: ${readErrors[reason._tag] ?? "it can't be read"}` })
    )
  )

export const readTlsFiles = ({ certFile, keyFile }: TlsFiles) =>
  Effect.all({ cert: read("TLS_CERT_FILE", certFile), key: read("TLS_KEY_FILE", keyFile) })

const parse = <A>(evaluate: () => A, message: string): Effect.Effect<A, TlsPairError> =>
  Effect.try({ try: evaluate, catch: () => new TlsPairError({ message }) })

/** Returns the certificate's expiry. */
export const checkTlsPair = Effect.fnUntraced(function* ({ certFile, keyFile }: TlsFiles, { cert, key }: TlsPair) {
  const certificate = yield* parse(
    () => new X509Certificate(cert),
    `TLS_CERT_FILE: ${certFile}: this is not a certificate in PEM`
  )
  const privateKey = yield* parse(
    () => createPrivateKey(key),
    `TLS_KEY_FILE: ${keyFile}: this is not a private key in PEM that opens without a passphrase`
  )
  if (!certificate.checkPrivateKey(privateKey)) {
    const message = `TLS_KEY_FILE: ${keyFile}: this is not the key of the certificate in TLS_CERT_FILE`
    return yield* new TlsPairError({ message })
  }
  yield* parse(
    () => createSecureContext({ cert, key }),
    `TLS_CERT_FILE: ${certFile}: HTTPS can't be served with the certificate and those after it`
  )
  return certificate.validTo
})

/** Polling finds a replaced file on every file system and however it was replaced. Watching does not. */
const renewalInterval = Duration.seconds(5)

/** Uses changed files for new connections. Keeps the current certificate while the files can't be used. */
export const renewTls = Effect.fnUntraced(function* (server: Server, files: TlsFiles, first: TlsPair) {
  let current = first
  let failure = { message: "", count: 0 }

  const renew = Effect.gen(function* () {
    const pair = yield* readTlsFiles(files)
    const changed = pair.cert !== current.cert || pair.key !== current.key
    const validTo = changed ? yield* checkTlsPair(files, pair) : ""
    failure = { message: "", count: 0 }
    if (!changed) return
    server.setSecureContext({ ...tlsProtocol, ...pair })
    current = pair
    yield* Effect.logInfo(`HTTPS is served with a new certificate, valid until ${validTo}`)
  })

  const warn = Effect.fnUntraced(function* ({ message }: TlsPairError) {
    failure = { message, count: message === failure.message ? failure.count + 1 : 1 }
    // Warns once, at the second failure. At the first, perhaps only one of the two files had been replaced yet.
    if (failure.count !== 2) return
    yield* Effect.logWarning(`HTTPS is still served with the previous certificate; ${message}`)
  })

  const poll = Effect.andThen(Effect.sleep(renewalInterval), Effect.catchTag(renew, "TlsPairError", warn))
  yield* Effect.forkScoped(Effect.forever(poll))
})
