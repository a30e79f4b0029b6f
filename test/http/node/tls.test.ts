import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { generateKeyPairSync } from "node:crypto"
import { tmpdir } from "node:os"
import path from "node:path"
import tls from "node:tls"
import { selfSignedCertificate } from "./selfSignedCertificate.ts"
import { startServer } from "../../support/http/server.ts"
import { connectRaw } from "../../support/http/rawConnection.ts"

const one = selfSignedCertificate("one")
const two = selfSignedCertificate("two")

/** Writes a certificate and its key to files. Returns the paths and a function that replaces the files. */
const makeFiles = Effect.fn("makeFiles")(function* (pair = one) {
  const directory = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(path.join(tmpdir(), "tls "))),
    (directory) => Effect.promise(() => rm(directory, { recursive: true }))
  )
  const files = { certFile: path.join(directory, "cert.pem"), keyFile: path.join(directory, "key.pem") }
  const replace = ({ cert, key }: { readonly cert: string; readonly key: string }) =>
    Effect.promise(() => Promise.all([writeFile(files.certFile, cert), writeFile(files.keyFile, key)]))
  yield* replace(pair)
  return { files, replace }
})

const trust = (...pairs: ReadonlyArray<{ readonly cert: string }>) => ({ ca: pairs.map(({ cert }) => cert) })

const health = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"

/** The common name of the certificate that the server presents. */
const servedName = (url: string) =>
  Effect.callback<string>((resume) => {
    const { port } = new URL(url)
    const socket = tls.connect({ host: "127.0.0.1", port: Number(port), ...trust(one, two) }, () => {
      resume(Effect.succeed(String(socket.getPeerCertificate().subject.CN)))
      socket.destroy()
    })
  })

describe("HTTPS", () => {
  it.effect.each(["TLSv1.2", "TLSv1.3"] as const)(
    "A client is served by %s, with Strict-Transport-Security",
    (version) =>
      Effect.gen(function* () {
        const { files } = yield* makeFiles()
        const url = yield* startServer({ tls: files, servedAt: "https://127.0.0.1" })
        const connection = yield* connectRaw(url, { tls: { ...trust(one), minVersion: version, maxVersion: version } })
        connection.send(health)
        const response = yield* connection.response
        assert.strictEqual(response?.status, 200)
        assert.strictEqual(response?.headers["strict-transport-security"], "max-age=31536000")
      })
  )

  it.effect.each([
    {
      what: "TLS 1.1 at most",
      options: { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT:@SECLEVEL=0" }
    },
    { what: "only a cipher without forward secrecy", options: { maxVersion: "TLSv1.2", ciphers: "AES128-GCM-SHA256" } },
    {
      what: "only a cipher without authenticated encryption",
      options: { maxVersion: "TLSv1.2", ciphers: "ECDHE-ECDSA-AES128-SHA" }
    }
  ] as const)("A client that offers $what is refused", ({ options }) =>
    Effect.gen(function* () {
      const { files } = yield* makeFiles()
      const url = yield* startServer({ tls: files })
      const error = yield* Effect.flip(connectRaw(url, { tls: { ...trust(one), ...options } }))
      assert.match(error.message, /alert|no protocols available/)
    })
  )

  it.effect("A client that speaks plain HTTP is cut off, and others are still served", () =>
    Effect.gen(function* () {
      const { files } = yield* makeFiles()
      const url = yield* startServer({ tls: files })
      const plain = yield* connectRaw(url)
      plain.send(health)
      assert.isUndefined(yield* plain.response)
      assert.strictEqual(yield* servedName(url), "one")
    })
  )

  it.effect("A malformed request gets a problem over TLS too", () =>
    Effect.gen(function* () {
      const { files } = yield* makeFiles()
      const url = yield* startServer({ tls: files })
      const connection = yield* connectRaw(url, { tls: trust(one) })
      connection.send("NOISE\r\n\r\n")
      const response = yield* connection.response
      assert.strictEqual(response?.status, 400)
      assert.strictEqual(response?.headers["strict-transport-security"], "max-age=31536000")
      yield* connection.closed
    })
  )

  it.effect("A client that renegotiates is refused", () =>
    Effect.gen(function* () {
      const { files } = yield* makeFiles()
      const url = yield* startServer({ tls: files })
      const refused = yield* Effect.callback<boolean>((resume) => {
        const { port } = new URL(url)
        const options = { host: "127.0.0.1", port: Number(port), ...trust(one), maxVersion: "TLSv1.2" } as const
        const socket = tls.connect(options, () => {
          socket.renegotiate({}, (error) => resume(Effect.succeed(error !== null)))
        })
        socket.on("error", () => resume(Effect.succeed(true)))
        return Effect.sync(() => socket.destroy())
      })
      assert.isTrue(refused)
    })
  )
})

describe("certificate renewal", () => {
  it.effect("A replaced certificate is served without a restart, and open connections go on", () =>
    Effect.gen(function* () {
      const { files, replace } = yield* makeFiles()
      const url = yield* startServer({ tls: files })
      const before = yield* connectRaw(url, { tls: trust(one) })
      assert.strictEqual(yield* servedName(url), "one")
      yield* replace(two)
      yield* TestClock.adjust("5 seconds")
      yield* Effect.repeat(servedName(url), { until: (name) => name === "two" })
      before.send(health)
      assert.strictEqual((yield* before.response)?.status, 200)
    })
  )

  it.effect("An unusable replacement is logged once, and the former certificate is served until it is usable", () =>
    Effect.gen(function* () {
      const logged: Array<string> = []
      const logger = Logger.make(({ message }) => void logged.push(String(message)))
      const { files, replace } = yield* makeFiles()
      const url = yield* startServer({ tls: files }).pipe(Effect.provide(Logger.layer([logger])))
      const checkAndRead = Effect.andThen(TestClock.adjust("5 seconds"), servedName(url))
      yield* replace({ cert: two.cert, key: one.key })
      yield* Effect.repeat(checkAndRead, { until: () => logged.length > 0 })
      yield* Effect.repeat(checkAndRead, { times: 3 })
      assert.strictEqual(yield* servedName(url), "one")
      yield* replace(two)
      yield* Effect.repeat(checkAndRead, { until: (name) => name === "two" })
      assert.lengthOf(logged, 2)
      assert.strictEqual(
        logged[0],
        `HTTPS is still served with the previous certificate; TLS_KEY_FILE: ${files.keyFile}: this is not the key of the certificate in TLS_CERT_FILE`
      )
      assert.match(logged[1] ?? "", /^HTTPS is served with a new certificate, valid until /)
    })
  )
})

describe("unusable certificate files", () => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const encryptedKey = privateKey
    .export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "a" })
    .toString()

  it.effect.each([
    {
      what: "a malformed certificate",
      pair: { cert: "a", key: one.key },
      message: /^TLS_CERT_FILE: .+: this is not a certificate in PEM$/
    },
    {
      what: "an empty key",
      pair: { cert: one.cert, key: "" },
      message: /^TLS_KEY_FILE: .+: this is not a private key in PEM that opens without a passphrase$/
    },
    {
      what: "a key with a passphrase",
      pair: { cert: one.cert, key: encryptedKey },
      message: /^TLS_KEY_FILE: .* without a passphrase$/
    },
    {
      what: "another certificate's key",
      pair: { cert: one.cert, key: two.key },
      message: /^TLS_KEY_FILE: .* not the key of the certificate in TLS_CERT_FILE$/
    }
  ])("The start fails with one line that names the variable for $what", ({ pair, message }) =>
    Effect.gen(function* () {
      const { files } = yield* makeFiles(pair)
      const error = yield* Effect.flip(startServer({ tls: files }))
      assert.strictEqual(error._tag, "TlsPairError")
      assert.match(error.message, message)
    })
  )

  it.effect("The start fails with one line that names the variable for a missing file and a directory", () =>
    Effect.gen(function* () {
      const { files } = yield* makeFiles()
      const missing = yield* Effect.flip(startServer({ tls: { ...files, keyFile: "/nowhere/key.pem" } }))
      assert.strictEqual(missing.message, "TLS_KEY_FILE: /nowhere/key.pem: there is no such file")
      const directory = yield* Effect.flip(startServer({ tls: { ...files, certFile: tmpdir() } }))
      assert.strictEqual(directory.message, `TLS_CERT_FILE: ${tmpdir()}: it is a directory`)
    })
  )
})
