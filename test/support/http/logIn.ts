import { Context, Effect, Layer, Redacted } from "effect"
import { Repo } from "../../../src/repo/Repo.ts"
import { makeWorkspace } from "../database/fixtures.ts"
import { type ClientResponse, sendJson } from "./client.ts"
import { databaseServerLayer } from "./team.ts"

export const password = "a long and secret sentence"

let users = 0

/** Creates a workspace and a user who can log in to it. */
export const makeUser = Effect.gen(function* () {
  const workspaceId = yield* makeWorkspace([])
  const { users: repo } = yield* Repo
  const { id, email } = yield* repo.create(workspaceId, `user${++users}@example.com`, Redacted.make(password))
  return { id, email, workspaceId }
})

/** A user whom several tests share, as hashing a password is slow. */
export class SharedUser extends Context.Service<SharedUser, Effect.Success<typeof makeUser>>()("test/SharedUser") {
  /** The user, a server and its database. */
  static readonly layer = Layer.effect(SharedUser, makeUser).pipe(Layer.provideMerge(databaseServerLayer()))
}

/** Logs in, by default with `password`. */
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

/** The first Set-Cookie header. */
export const setCookie = ({ headers }: ClientResponse): string => headers.getSetCookie()[0] ?? ""

/** The cookie as a browser sends it back. */
export const returnedCookie = (response: ClientResponse): string => setCookie(response).split(";", 1)[0] ?? ""

/** Whether a cookie's session is open. */
export const isOpen = (url: string, cookie: string) =>
  Effect.map(sendJson(`${url}/v1/notifications`, "GET", { cookie }), ({ status }) => status === 200)
