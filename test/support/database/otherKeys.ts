import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import type { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Redacted } from "effect"
import type { SqlClient } from "effect/sql"
import { CredentialCipher } from "../../../src/repo/integrations/CredentialCipher.ts"
import { Repo } from "../../../src/repo/Repo.ts"

/** The byte that fills the encryption key of `repoLayer`. */
export const oldKey = 7
export const newKey = 9

const keyWith = (byte: number) => Redacted.make(new Uint8Array(32).fill(byte))

/** The Repo of a process with these encryption keys, on the same database. */
export const withKeys = Effect.fn(function* (first: number, ...others: ReadonlyArray<number>) {
  const connections = Layer.succeedContext(yield* Effect.context<SqlClient.SqlClient | PgClient.PgClient>())
  const cipher = CredentialCipher.layer([keyWith(first), ...others.map(keyWith)])
  const repo = Layer.fresh(Repo.layer).pipe(Layer.provide(cipher), Layer.provide([NodeCrypto.layer, connections]))
  return Context.get(yield* Layer.build(repo), Repo)
})
