import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { CurrentSession } from "../../api/Authorization.ts"
import { Repo } from "../../repo/Repo.ts"
import { asData } from "./asData.ts"
import { makeLogIn } from "./logIn.ts"
import { orProblem } from "../problems.ts"
import { makeSessionCookie } from "../caller/sessionCookie.ts"

export const sessions = HttpApiBuilder.group(
  Api,
  "sessions",
  Effect.fn(function* (handlers) {
    const repo = yield* Repo
    const cookie = yield* makeSessionCookie
    const logIn = yield* makeLogIn

    return handlers
      .handle("logIn", ({ payload }) => asData(logIn(payload)))
      .handle("logOut", ({ query }) =>
        Effect.gen(function* () {
          const { token, userId } = yield* CurrentSession
          yield* orProblem(query.everywhere === "true" ? repo.sessions.endAll(userId) : repo.sessions.end(token))
          yield* cookie.remove(yield* HttpServerRequest.HttpServerRequest)
          return { data: { deleted: true as const } }
        })
      )
  })
)
