import { Schema, SchemaTransformation } from "effect"
import { Scope } from "../../domain/people/apiKey.ts"

/**
 * The scopes in the column `scopes`. The version before fails on a key with any other there, so those are in `more_scopes`,
 * which it does not read: while both versions run, it serves such keys without them.
 */
const isFirst = Schema.is(
  Schema.Literals(["posts:read", "posts:write", "posts:publish", "integrations:read", "notifications:read"])
)

/** Scopes as the two columns store them. */
export const splitScopes = (scopes: ReadonlyArray<Scope>) => ({
  scopes: scopes.filter((scope) => isFirst(scope)),
  moreScopes: scopes.filter((scope) => !isFirst(scope))
})

/** The scopes of both columns. One that this version does not know is ignored: a later version stored it. */
export const StoredScopes = Schema.Array(Schema.NullOr(Schema.String)).pipe(
  Schema.decodeTo(
    Schema.Array(Scope),
    SchemaTransformation.transform({
      decode: (stored: ReadonlyArray<string | null>): ReadonlyArray<Scope> =>
        Scope.literals.filter((scope) => stored.includes(scope)),
      encode: (scopes: ReadonlyArray<Scope>): ReadonlyArray<string | null> => scopes
    })
  )
)
