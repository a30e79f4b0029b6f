import { DateTime, Duration, Effect, Option, type Redacted, Schema } from "effect"
import { Digest } from "effect/crypto"
import { Hex } from "effect/encoding"
import { SqlClient } from "effect/sql"
import type { CredentialsUnreadable, DatabaseUnavailable } from "../../domain/errors.ts"
import { WorkspaceId } from "../../domain/ids.ts"
import { CredentialCipher } from "./CredentialCipher.ts"
import { orUnavailable } from "../postgres/query.ts"

/** How long a person has to agree on the platform's page. */
const lifetime = Duration.minutes(15)

/** A connection that was begun: whose it will be, and the PKCE verifier that finishes it. */
export interface OAuthState {
  readonly workspaceId: WorkspaceId
  readonly verifier: Redacted.Redacted
}

/** Connections that wait for a person's consent on the platform's page. */
export interface OAuthStates {
  readonly begin: (state: string, authorization: OAuthState) => Effect.Effect<void, DatabaseUnavailable>
  /** Takes one out, so that a state works once; none where it is unknown, used or too old. */
  readonly take: (
    state: string
  ) => Effect.Effect<Option.Option<OAuthState>, CredentialsUnreadable | DatabaseUnavailable>
}

const TakenRow = Schema.Struct({ workspaceId: WorkspaceId, verifier: Schema.Uint8Array })

const rowOf = (hash: Uint8Array) => `authorisations/${Hex.encode(hash)}/verifier`

export const makeOAuthStates = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const cipher = yield* CredentialCipher
  const digest = yield* Digest.Digest

  const hashOf = (state: string) => digest.digest(Digest.sha256, new TextEncoder().encode(state))

  const begin: OAuthStates["begin"] = Effect.fn("Repo.oauthStates.begin")(function* (state, { verifier, workspaceId }) {
    const now = yield* DateTime.now
    const hash = yield* hashOf(state)
    const sealed = yield* cipher.seal(rowOf(hash), verifier)
    const expiresAt = DateTime.toDateUtc(DateTime.addDuration(now, lifetime))
    yield* sql`
      WITH swept AS (DELETE FROM authorisations WHERE expires_at <= ${DateTime.toDateUtc(now)}::timestamptz)
      INSERT INTO authorisations (hash, workspace_id, verifier, expires_at)
      VALUES (${hash}::bytea, ${workspaceId}::uuid, ${sealed}::bytea, ${expiresAt}::timestamptz)`.pipe(
      orUnavailable("beginning an OAuth authorization")
    )
  })

  const take: OAuthStates["take"] = Effect.fn("Repo.oauthStates.take")(function* (state) {
    const now = DateTime.toDateUtc(yield* DateTime.now)
    const hash = yield* hashOf(state)
    const [taken] = yield* sql`DELETE FROM authorisations
      WHERE hash = ${hash}::bytea AND expires_at > ${now}::timestamptz
      RETURNING workspace_id AS "workspaceId", verifier`.pipe(
      Effect.flatMap(Schema.decodeUnknownEffect(Schema.Array(TakenRow))),
      orUnavailable("finishing an OAuth authorization")
    )
    if (taken === undefined) return Option.none()
    return Option.some({ workspaceId: taken.workspaceId, verifier: yield* cipher.open(rowOf(hash), taken.verifier) })
  })

  return { begin, take } satisfies OAuthStates
})
