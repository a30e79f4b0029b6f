import { Schema, SchemaTransformation } from "effect"
import { Scope } from "../../domain/people/apiKey.ts"

/** The previous version fails on unknown scopes in `scopes`. So newer scopes are in `more_scopes`, which it ignores. */
const isFirst = Schema.is(
  Schema.Literals(["posts:read", "posts:write", "posts:publish", "integrations:read", "notifications:read"])
)

export const splitScopes = (scopes: ReadonlyArray<Scope>) => ({
  scopes: scopes.filter((scope) => isFirst(scope)),
  moreScopes: scopes.filter((scope) => !isFirst(scope))
})

/** Leaves out scopes from a later version. */
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
