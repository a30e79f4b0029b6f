import { Context } from "effect"
import { OpenApi } from "effect/http-api"
import type { Scope } from "../domain/apiKey.ts"
import { RequiredScope } from "./Authorization.ts"

interface Described {
  readonly id: string
  readonly summary: string
  readonly description: string
  /** What the reference shows in place of the parameters as they are derived from their schemas. */
  readonly parameters?: ReadonlyArray<OpenApi.OpenAPISpecParameter>
}

interface KeyOperation extends Described {
  /** What the key needs. */
  readonly scope: Scope
}

const describe = (
  { id, summary, description, parameters }: Described,
  needed: string,
  security: ReadonlyArray<OpenApi.OpenAPISecurityRequirement>
) =>
  OpenApi.annotations({
    identifier: id,
    summary,
    description: `${description}\n\n${needed}`,
    override: { security, ...(parameters === undefined ? {} : { parameters }) }
  })

/** What the reference says of an endpoint that is called with a key, and the scope that the key needs for it. */
export const operation = (described: KeyOperation) =>
  describe(described, `The key needs the scope \`${described.scope}\`.`, [{ apiKey: [described.scope] }]).pipe(
    Context.add(RequiredScope, described.scope)
  )

/** What the reference says of an endpoint that is called with a key or a session. */
export const keyOrSessionOperation = (described: KeyOperation) =>
  describe(described, `It takes a session, or a key with the scope \`${described.scope}\`.`, [
    { apiKey: [described.scope] },
    { session: [] }
  ]).pipe(Context.add(RequiredScope, described.scope))

/** What the reference says of an endpoint that is called with a session. */
export const sessionOperation = (described: Described) =>
  describe(described, "It takes a session; a key is refused.", [{ session: [] }])

/** What the reference says of an endpoint that anybody may call. */
export const openOperation = (described: Described) => describe(described, "It takes no key and no session.", [])
