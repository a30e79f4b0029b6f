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

/** A pair of files in a directory of their own, and a way to replace them. */
const makeFiles = Effect.fn("makeFiles")(function* (pair = one) {
  const directory = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(path.join(tmpdir(), "tls "))),
    (made) => Effect.promise(() => rm(made, { recursive: true }))
  )
  const files = { certFile: path.join(directory, "cert.pem"), keyFile: path.join(directory, "key.pem") }
  const replace = ({ cert, key }: { readonly cert: string; readonly key: string }) =>
    Effect.promise(() => Promise.all([writeFile(files.certFile, cert), writeFile(files.keyFile, key)]))
  yield* replace(pair)
  return { files, replace }
})

const trusting = (...pairs: ReadonlyArray<{ readonly cert: string }>) => ({ ca: pairs.map(({ cert }) => cert) })

const health = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"

const servedName = (url: string) =>
  Effect.callback<string>((resume) => {
    const { port } = new URL(url)
    const socket = tls.connect({ host: "127.0.0.1", port: Number(port), ...trusting(one, two) }, () => {
      resume(Effect.succeed(String(socket.getPeerCertificate().subject.CN)))
      socket.destroy()
    })
  })

describe("HTTPS", () => {
  it.effect.each(["TLSv1.2", "TLSv1.3"] as const)("is spoken by %s, and browsers are told to keep to it", (version) =>
    Effect.gen(function* () {
      const { files } = yield* makeFiles()
      const url = yield* startServer({ tls: files, servedAt: "https://127.0.0.1" })
      const connection = yield* connectRaw(url, { tls: { ...trusting(one), minVersion: version, maxVersion: version } })
      connection.send(health)
      const answer = yield* connection.answer
      assert.strictEqual(answer?.status, 200)
      assert.strictEqual(answer?.headers["strict-transport-security"], "max-age=31536000")
    })
  )

  it.effect.each([
    { what: "TLS 1.1", asked: { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT:@SECLEVEL=0" } },
    { what: "a cipher without forward secrecy", asked: { maxVersion: "TLSv1.2", ciphers: "AES128-GCM-SHA256" } },
    {
      what: "a cipher without authentication of its data",
      asked: { maxVersion: "TLSv1.2", ciphers: "ECDHE-ECDSA-AES128-SHA" }
    }
  ] as const)("is refused by $what", ({ asked }) =>
    Effect.gen(function* () {
      const { files } = yield* makeFiles()
      const url = yield* startServer({ tls: files })
      const error = yield* Effect.flip(connectRaw(url, { tls: { ...trusting(one), ...asked } }))
      assert.match(error.message, /alert|no protocols available/)
    })
  )

  it.effect("hangs up on plain HTTP, and goes on serving", () =>
    Effect.gen(function* () {
      const { files } = yield* makeFiles()
      const url = yield* startServer({ tls: files })
      const plain = yield* connectRaw(url)
      plain.send(health)
      assert.isUndefined(yield* plain.answer)
      assert.strictEqual(yield* servedName(url), "one")
    })
  )

  it.effect("answers what is not a request with a problem too", () =>
    Effect.gen(function* () {
      const { files } = yield* makeFiles()
      const url = yield* startServer({ tls: files })
      const connection = yield* connectRaw(url, { tls: trusting(one) })
      connection.send("NOISE\r\n\r\n")
      const answer = yield* connection.answer
      assert.strictEqual(answer?.status, 400)
      assert.strictEqual(answer?.headers["strict-transport-security"], "max-age=31536000")
      yield* connection.closed
    })
  )

  it.effect("does not let a client ask for handshake after handshake", () =>
    Effect.gen(function* () {
      const { files } = yield* makeFiles()
      const url = yield* startServer({ tls: files })
      const refused = yield* Effect.callback<boolean>((resume) => {
        const { port } = new URL(url)
        const options = { host: "127.0.0.1", port: Number(port), ...trusting(one), maxVersion: "TLSv1.2" } as const
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

describe("a certificate that is replaced", () => {
  it.effect("is served from then on, without a restart", () =>
    Effect.gen(function* () {
      const { files, replace } = yield* makeFiles()
      const url = yield* startServer({ tls: files })
      const before = yield* connectRaw(url, { tls: trusting(one) })
      assert.strictEqual(yield* servedName(url), "one")
      yield* replace(two)
      yield* TestClock.adjust("5 seconds")
      yield* Effect.repeat(servedName(url), { until: (name) => name === "two" })
      before.send(health)
      assert.strictEqual((yield* before.answer)?.status, 200)
    })
  )

  it.effect("is left alone while it can't be served with, which is logged once, until it can", () =>
    Effect.gen(function* () {
      const logged: Array<string> = []
      const logger = Logger.make(({ message }) => void logged.push(String(message)))
      const { files, replace } = yield* makeFiles()
      const url = yield* startServer({ tls: files }).pipe(Effect.provide(Logger.layer([logger])))
      const look = Effect.andThen(TestClock.adjust("5 seconds"), servedName(url))
      yield* replace({ cert: two.cert, key: one.key })
      yield* Effect.repeat(look, { until: () => logged.length > 0 })
      yield* Effect.repeat(look, { times: 3 })
      assert.strictEqual(yield* servedName(url), "one")
      yield* replace(two)
      yield* Effect.repeat(look, { until: (name) => name === "two" })
      assert.lengthOf(logged, 2)
      assert.strictEqual(
        logged[0],
        `HTTPS is still served with the previous certificate; TLS_KEY_FILE: ${files.keyFile}: this is not the key of the certificate in TLS_CERT_FILE`
      )
      assert.match(logged[1] ?? "", /^HTTPS is served with a new certificate, valid until /)
    })
  )
})

describe("a pair of files that can't be served with", () => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const locked = privateKey.export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "a" }).toString()

  it.effect.each([
    {
      what: "no certificate",
      pair: { cert: "a", key: one.key },
      says: /^TLS_CERT_FILE: \S+ \S+: this is not a certificate in PEM$/
    },
    {
      what: "no key",
      pair: { cert: one.cert, key: "" },
      says: /^TLS_KEY_FILE: \S+ \S+: this is not a private key in PEM that opens without a passphrase$/
    },
    {
      what: "a key with a passphrase",
      pair: { cert: one.cert, key: locked },
      says: /^TLS_KEY_FILE: .* without a passphrase$/
    },
    {
      what: "another certificate's key",
      pair: { cert: one.cert, key: two.key },
      says: /^TLS_KEY_FILE: .* not the key of the certificate in TLS_CERT_FILE$/
    }
  ])("ends the start with one line that names the variable: $what", ({ pair, says }) =>
    Effect.gen(function* () {
      const { files } = yield* makeFiles(pair)
      const error = yield* Effect.flip(startServer({ tls: files }))
      assert.strictEqual(error._tag, "TlsPairError")
      assert.match(error.message, says)
    })
  )

  it.effect("ends the start with one line that names the variable: files that are not there, and a directory", () =>
    Effect.gen(function* () {
      const { files } = yield* makeFiles()
      const missing = yield* Effect.flip(startServer({ tls: { ...files, keyFile: "/nowhere/key.pem" } }))
      assert.strictEqual(missing.message, "TLS_KEY_FILE: /nowhere/key.pem: there is no such file")
      const directory = yield* Effect.flip(startServer({ tls: { ...files, certFile: tmpdir() } }))
      assert.strictEqual(directory.message, `TLS_CERT_FILE: ${tmpdir()}: it is a directory`)
    })
  )
})
