import { NodeCrypto } from "@effect/platform-node"
import { Effect, Layer, Redacted, Sink, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import { gunzipSync, gzipSync } from "node:zlib"
import { Backups } from "../../src/backup/Backups.ts"
import { CredentialCipher } from "../../src/repo/integrations/CredentialCipher.ts"
import { databaseLayer } from "../../src/repo/postgres/database.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { freshDatabase } from "../support/database/testDatabase.ts"

/** Repo and Backups on a database of their own, under the encryption key of 32 such bytes. */
export const openDatabase = Effect.fn("openDatabase")(function* (keyByte = 7) {
  const cipher = CredentialCipher.layer([Redacted.make(new Uint8Array(32).fill(keyByte))])
  const url = yield* freshDatabase
  return yield* Layer.build(
    Layer.merge(Repo.layer, Backups.layer).pipe(
      Layer.provide([cipher, NodeCrypto.layer]),
      Layer.provide(NodeCrypto.layer),
      Layer.provideMerge(databaseLayer(url))
    )
  )
})

/** The compressed bytes of a backup. */
export const takeBackup = Effect.gen(function* () {
  const { backup } = yield* Backups
  const chunks: Array<Uint8Array> = []
  const snapshot = yield* backup(Sink.forEach((bytes: Uint8Array) => Effect.sync(() => void chunks.push(bytes))))
  return { snapshot, bytes: new Uint8Array(Buffer.concat(chunks)) }
})

export const restoreBytes = (bytes: Uint8Array, acceptUnreadable = false) =>
  Effect.flatMap(Backups, ({ restore }) => restore(Stream.make(bytes), { acceptUnreadable }))

/** The same backup with another text, whose checksum is right again. */
export const rewriteBackup = (bytes: Uint8Array, rewrite: (line: string) => string): Uint8Array => {
  const lines = gunzipSync(bytes).toString("utf8").trimEnd().split("\n").slice(0, -1).map(rewrite)
  const text = lines.map((line) => `${line}\n`).join("")
  const rows = lines.filter((line) => line.startsWith("{")).length
  const sha256 = createHash("sha256").update(text).digest("hex")
  return new Uint8Array(gzipSync(`${text}${JSON.stringify(["end", { rows, sha256 }])}\n`))
}

/** A table's rows as text, in a stable order, without some columns. */
export const rowsOf = Effect.fn("rowsOf")(function* (table: string, without: ReadonlyArray<string> = []) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly row: string }>`
    SELECT (to_jsonb(saved) - ${without}::text[])::text AS row FROM ${sql(table)} saved ORDER BY 1`
  return rows.map(({ row }) => row)
})
