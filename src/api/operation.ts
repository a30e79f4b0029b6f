import { Context } from "effect"
import { OpenApi } from "effect/http-api"
import type { Scope } from "../domain/people/apiKey.ts"
import { rolesWith } from "../domain/people/role.ts"
import { RequiredScope } from "./Authorization.ts"

interface Documented {
  readonly id: string
  readonly summary: string
  readonly description: string
}

interface ScopedOperation extends Documented {
  readonly scope: Scope
}

const document = (
  { id, summary, description }: Documented,
  authentication: string,
  security: ReadonlyArray<OpenApi.OpenAPISecurityRequirement>
) =>
  OpenApi.annotations({
    identifier: id,
    summary,
    description: `${description}\n\n${authentication}`,
    override: { security }
  })

/** An operation for API keys with a scope, and for sessions with a role that includes it. */
export const operation = (documented: ScopedOperation) =>
  document(
    documented,
    `Requires an API key with the scope \`${documented.scope}\`, or a session with the role ${rolesWith(documented.scope)}.`,
    [{ apiKey: [documented.scope] }, { session: [] }]
  ).pipe(Context.add(RequiredScope, documented.scope))

export const callerOperation = (documented: Documented) =>
  document(documented, "Requires an API key with any scopes, or a session.", [{ apiKey: [] }, { session: [] }])

export const adminOperation = (documented: Documented) =>
  document(documented, "Requires a session with the role admin; API keys are rejected.", [{ session: [] }])

export const sessionOperation = (documented: Documented) =>
  document(documented, "Requires a session; API keys are rejected.", [{ session: [] }])

export const publicOperation = (documented: Documented) => document(documented, "Requires no authentication.", [])
