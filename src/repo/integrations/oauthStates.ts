import { DateTime, Duration, Effect, Option, type Redacted, Schema } from "effect"
import { Hex } from "effect/encoding"
import { SqlClient, SqlSchema } from "effect/sql"
import { type CredentialsUnreadable, type DatabaseUnavailable, NotFound } from "../../domain/errors.ts"
import { WorkspaceId } from "../../domain/ids.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { Timestamp } from "../postgres/rows.ts"
import { makeSha256 } from "../sha256.ts"
import { CredentialCipher } from "./CredentialCipher.ts"

/** How long a person has to consent on the platform's page. */
const lifetime = Duration.minutes(15)

/** An OAuth authorization in progress: the workspace that it is for, and the PKCE verifier that completes it. */
export interface OAuthState {
  readonly workspaceId: WorkspaceId
  readonly verifier: Redacted.Redacted
}

/** OAuth authorizations that wait for a person's consent, by their `state` parameter. */
export interface OAuthStates {
  readonly begin: (state: string, authorization: OAuthState) => Effect.Effect<void, NotFound | DatabaseUnavailable>
  /** Removes and returns an authorization, so that a state works once; none where it is unknown, used or expired. */
  readonly take: (
    state: string
  ) => Effect.Effect<Option.Option<OAuthState>, CredentialsUnreadable | DatabaseUnavailable>
}

// Authenticated with each stored verifier: another text here would make pending links undecryptable.
const verifierCell = (hash: Uint8Array) => `authorisations/${Hex.encode(hash)}/verifier`

export const makeOAuthStates = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const cipher = yield* CredentialCipher
  const sha256 = yield* makeSha256

  // Each insert also sweeps expired rows.
  const insert = SqlSchema.findOne({
    Request: Schema.Struct({
      hash: Schema.Uint8Array,
      workspaceId: WorkspaceId,
      sealed: Schema.Uint8Array,
      now: Timestamp,
      expiresAt: Timestamp
    }),
    Result: Schema.Struct({ workspaceId: WorkspaceId }),
    execute: ({ expiresAt, hash, now, sealed, workspaceId }) => sql`
      WITH swept AS (
        DELETE FROM authorisations WHERE expires_at <= ${now}::timestamptz
      )
      INSERT INTO authorisations (hash, workspace_id, verifier, expires_at)
      SELECT ${hash}::bytea, id, ${sealed}::bytea, ${expiresAt}::timestamptz
      FROM workspaces WHERE id = ${workspaceId}::uuid
      RETURNING workspace_id AS "workspaceId"`
  })

  const begin: OAuthStates["begin"] = Effect.fn("Repo.oauthStates.begin")(function* (state, { verifier, workspaceId }) {
    const now = yield* DateTime.now
    const hash = yield* sha256(state)
    const sealed = yield* cipher.seal(verifierCell(hash), verifier)
    const expiresAt = DateTime.addDuration(now, lifetime)
    yield* insert({ hash, workspaceId, sealed, now, expiresAt }).pipe(
      Effect.catchTag("NoSuchElementError", () => new NotFound({ message: `There is no workspace ${workspaceId}` })),
      withDatabaseTimeout("beginning an OAuth authorization")
    )
  })

  const remove = SqlSchema.findOneOption({
    Request: Schema.Struct({ hash: Schema.Uint8Array, now: Timestamp }),
    Result: Schema.Struct({ workspaceId: WorkspaceId, verifier: Schema.Uint8Array }),
    execute: ({ hash, now }) => sql`
      DELETE FROM authorisations WHERE hash = ${hash}::bytea AND expires_at > ${now}::timestamptz
      RETURNING workspace_id AS "workspaceId", verifier`
  })

  const take: OAuthStates["take"] = Effect.fn("Repo.oauthStates.take")(function* (state) {
    const hash = yield* sha256(state)
    const taken = yield* remove({ hash, now: yield* DateTime.now }).pipe(
      withDatabaseTimeout("completing an OAuth authorization")
    )
    if (Option.isNone(taken)) return Option.none()
    const { verifier, workspaceId } = taken.value
    return Option.some({ workspaceId, verifier: yield* cipher.open(verifierCell(hash), verifier) })
  })

  return { begin, take } satisfies OAuthStates
})
