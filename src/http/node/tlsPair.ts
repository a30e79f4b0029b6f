import { Effect, FileSystem, Schema } from "effect"
import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto"
import { createSecureContext } from "node:tls"

/** The files that HTTPS is served with, both in PEM. */
export interface TlsFiles {
  /** The certificate, and after it those that lead to a known authority. */
  readonly certFile: string
  /** Its key, without a passphrase. */
  readonly keyFile: string
}

/** The files can't be served with; the message is one line that names the variable. */
export class TlsPairError extends Schema.TaggedError<TlsPairError>()("TlsPairError", { message: Schema.String }) {}

/** What the files hold. */
export interface TlsPair {
  readonly cert: string
  readonly key: string
}

const wrong = (message: string) => new TlsPairError({ message })

const reasons: Readonly<Record<string, string>> = {
  NotFound: "there is no such file",
  PermissionDenied: "this user may not read it",
  BadResource: "it is a directory"
}

const read = (variable: string, file: string) =>
  FileSystem.FileSystem.use((files) => files.readFileString(file)).pipe(
    Effect.mapError(({ reason }) => wrong(`${variable}: ${file}: ${reasons[reason._tag] ?? "it can't be read"}`))
  )

/** Reads both files as they are now. */
export const readTlsFiles = ({ certFile, keyFile }: TlsFiles) =>
  Effect.all({ cert: read("TLS_CERT_FILE", certFile), key: read("TLS_KEY_FILE", keyFile) })

const parse = <A>(evaluate: () => A, message: string): Effect.Effect<A, TlsPairError> =>
  Effect.try({ try: evaluate, catch: () => wrong(message) })

const checkMatch = (certificate: X509Certificate, key: KeyObject, keyFile: string) =>
  certificate.checkPrivateKey(key)
    ? Effect.void
    : wrong(`TLS_KEY_FILE: ${keyFile}: this is not the key of the certificate in TLS_CERT_FILE`)

/** Fails unless HTTPS can be served with what was read; answers until when the certificate is valid. */
export const checkTlsPair = Effect.fnUntraced(function* ({ certFile, keyFile }: TlsFiles, { cert, key }: TlsPair) {
  const certificate = yield* parse(
    () => new X509Certificate(cert),
    `TLS_CERT_FILE: ${certFile}: this is not a certificate in PEM`
  )
  const privateKey = yield* parse(
    () => createPrivateKey(key),
    `TLS_KEY_FILE: ${keyFile}: this is not a private key in PEM that opens without a passphrase`
  )
  yield* checkMatch(certificate, privateKey, keyFile)
  yield* parse(
    () => createSecureContext({ cert, key }),
    `TLS_CERT_FILE: ${certFile}: the certificate and those after it can't be served with`
  )
  return certificate.validTo
})
