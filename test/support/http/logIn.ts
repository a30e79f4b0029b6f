import { Context, Effect, Layer, Redacted } from "effect"
import { Repo } from "../../../src/repo/Repo.ts"
import { makeWorkspace } from "../database/fixtures.ts"
import { type ClientResponse, sendJson } from "./client.ts"
import { databaseServerLayer } from "./team.ts"

export const password = "a long and secret sentence"

let users = 0

export const makeUser = Effect.gen(function* () {
  const workspaceId = yield* makeWorkspace([])
  const { users: repo } = yield* Repo
  const { id, email } = yield* repo.create(workspaceId, `user${++users}@example.com`, Redacted.make(password))
  return { id, email, workspaceId }
})

/** A user that tests share, because hashing a password is slow. */
export class SharedUser extends Context.Service<SharedUser, Effect.Success<typeof makeUser>>()("test/SharedUser") {
  static readonly layer = Layer.effect(SharedUser, makeUser).pipe(Layer.provideMerge(databaseServerLayer()))
}

/** By default with `password`. */
export const logIn = (
  url: string,
  user: { readonly email: string; readonly password?: string; readonly workspace_id?: string },
  headers: Readonly<Record<string, string>> = {}
): Effect.Effect<ClientResponse> =>
  sendJson(`${url}/v1/session`, "POST", headers, {
    email: user.email,
    password: user.password ?? password,
    workspace_id: user.workspace_id
  })

export const setCookie = ({ headers }: ClientResponse): string => headers.getSetCookie()[0] ?? ""

/** The cookie as a browser sends it back. */
export const returnedCookie = (response: ClientResponse): string => setCookie(response).split(";", 1)[0] ?? ""

/** True if a cookie's session is open. */
export const isOpen = (url: string, cookie: string) =>
  Effect.map(sendJson(`${url}/v1/notifications`, "GET", { cookie }), ({ status }) => status === 200)
